import type { Html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Form } from '../frame/actions.ts'
import { field } from '../frame/fields.ts'
import type { AnyVisit } from '../frame/visit.ts'

const hourMs = 3_600_000

const words = inBoth({
  fr: {
    label: fr`L'ancien secret`,
    none: fr`expire immédiatement`,
    hour: 'reste valable une heure',
    day: 'reste valable un jour',
    week: 'reste valable une semaine',
  },
  en: {
    label: 'Old secret',
    none: 'expire it now',
    hour: 'keep it valid for an hour',
    day: 'keep it valid for a day',
    week: 'keep it valid for a week',
  },
})

const overlapsMs: Record<string, number> = {
  none: 0,
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
}

/** How long an old secret serves beside the new one. */
export function overlapField({ language }: Pick<AnyVisit, 'language'>): Html {
  const { label, none, hour, day, week } = words[language]
  return field({
    name: 'overlap',
    label,
    value: 'day',
    options: [
      ['week', week],
      ['day', day],
      ['hour', hour],
      ['none', none],
    ],
  })
}

/** The choice of the form; a day for anything else. */
export function readOverlapMs(form: Form): number {
  const chosen = form.get('overlap')
  return Object.hasOwn(overlapsMs, chosen) ? (overlapsMs[chosen] ?? 0) : 24 * hourMs
}
