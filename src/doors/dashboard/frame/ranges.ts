import { locales } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { dayOf, endOfDay, isDay, startOfDay } from '#base/kit/zoned-days.ts'
import type { Problems } from './fields.ts'
import type { AnyVisit } from './visit.ts'

const words = inBoth({
  fr: {
    noDay: fr`Écrivez un jour qui existe, par exemple 2026-11-16.`,
    order: fr`Le dernier jour est avant le premier.`,
  },
  en: {
    noDay: 'Write a day that exists, such as 2026-11-16.',
    order: 'The last day is before the first.',
  },
})

/** The days that `?from=` and `?to=` name, both included; null: without an end on that side. */
export interface DayRange {
  from: Date | null
  /** The end of the last day. */
  to: Date | null
  problems: Problems
}

/** Reads the range of days in the merchant's zone from the address of a page. */
export function readRange({
  query,
  zone,
  language,
}: Pick<AnyVisit, 'query' | 'zone' | 'language'>): DayRange {
  const from = (query.from ?? '').trim()
  const to = (query.to ?? '').trim()
  const { noDay, order } = words[language]
  const problems: Problems = {}
  if (from !== '' && !isDay(from)) problems.from = noDay
  if (to !== '' && !isDay(to)) problems.to = noDay
  if (isDay(from) && isDay(to) && to < from) problems.to = order
  const isRead = Object.keys(problems).length === 0
  return {
    from: isRead && from !== '' ? startOfDay(from, zone) : null,
    to: isRead && to !== '' ? endOfDay(to, zone) : null,
    problems,
  }
}

/** The months up to now, newest first, with the first and the last day of each. */
export function lastMonths(
  { zone, now, language }: AnyVisit,
  count: number,
): { name: string; from: string; to: string }[] {
  const today = dayOf(now, zone)
  const [year = 0, month = 1] = today.split('-').map(Number)
  const format = new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    month: 'long',
    year: 'numeric',
  })
  return Array.from({ length: count }, (_, back) => {
    const first = new Date(Date.UTC(year, month - 1 - back, 1, 12))
    const last = new Date(Date.UTC(year, month - back, 0, 12))
    const to = last.toISOString().slice(0, 10)
    return {
      name: format.format(first),
      from: first.toISOString().slice(0, 10),
      to: to > today ? today : to,
    }
  })
}
