import type { FloatState } from '../../../float/state.ts'
import type { ProviderState } from '../../../health/judge.ts'
import type { Html } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { fr } from '../../../pages/typography.ts'
import { label, money } from '../../frame/components.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'

/** What is said of the money that a provider holds for us. */
export const floatWords = inBoth<{ name: string; states: Record<FloatState, string> }>({
  fr: {
    name: fr`Avoirs chez lui`,
    states: { fine: '', warning: 'bas', alarm: fr`trop bas`, old: 'ancien', unknown: '' },
  },
  en: {
    name: 'Float',
    states: { fine: '', warning: 'low', alarm: 'too low', old: 'old', unknown: '' },
  },
})

const shapes: Record<FloatState, [tone: string, path: string] | null> = {
  fine: null,
  unknown: null,
  warning: ['calm', 'M12 6v7M12 17v.1'],
  alarm: ['bad', 'M12 6v7M12 17v.1'],
  old: ['quiet', 'M5 12h14'],
}

/** The float of a provider, with a word where it is low or old; a dash where nothing is known. */
export function floatCell(
  { language }: Pick<OpsVisit, 'language'>,
  { float, floatState }: ProviderState,
): Html {
  const shape = shapes[floatState]
  return html`${float === null ? '–' : money(float)}${
    shape !== null && html` ${label(shape[0], floatWords[language].states[floatState], shape[1])}`
  }`
}
