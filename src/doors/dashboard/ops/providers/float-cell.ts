import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Badge, label, money } from '#doors/dashboard/frame/components.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { FloatState } from '#money/float/state.ts'
import type { ProviderState } from '#operations/health/judge.ts'

/** What is said of the money that a provider holds for us. */
export const floatWords = inBoth<{
  name: string
  untold: string
  states: Record<FloatState, string>
}>({
  fr: {
    name: fr`Avoirs chez lui`,
    untold: fr`solde indisponible`,
    states: { fine: '', warning: 'bas', alarm: fr`trop bas`, old: 'ancien', unknown: '' },
  },
  en: {
    name: 'Float',
    untold: 'balance unavailable',
    states: { fine: '', warning: 'low', alarm: 'too low', old: 'old', unknown: '' },
  },
})

const shapes: Record<FloatState, Badge | null> = {
  fine: null,
  unknown: null,
  warning: ['calm', 'exclamation'],
  alarm: ['bad', 'exclamation'],
  old: ['quiet', 'dash'],
}

/** The float of a provider, with a word where it is low, old or not told; a dash: not known. */
export function floatCell(
  { language }: Pick<OpsVisit, 'language'>,
  { float, floatState, floatProblem }: ProviderState,
): Html {
  const { untold, states } = floatWords[language]
  const shape = shapes[floatState]
  return html`${float === null ? '–' : money(float)}${
    shape !== null && html` ${label(shape, states[floatState])}`
  }${floatProblem !== null && html` ${label(['calm', 'exclamation'], untold)}`}`
}
