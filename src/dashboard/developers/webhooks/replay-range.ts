import { wholeClient } from '../../../clients/scope.ts'
import { isDay, momentAt } from '../../../kit/zoned-days.ts'
import { fr } from '../../../pages/typography.ts'
import { readEventIds } from '../../../webhooks/operate-store.ts'
import type { DashboardContext } from '../../context.ts'
import type { Problems } from '../../frame/fields.ts'
import type { Pages } from '../../frame/pages.ts'
import { inBoth } from '../../frame/words.ts'
import { outcomeText, outcomeWaitMs } from './delivery-words.ts'
import { webhooksScreen } from './screen.ts'

const eventsMax = 1000
// Counted up to this number: a year may have millions.
const countedMax = 10_000

const words = inBoth({
  fr: {
    noTime: fr`Écrivez un jour et une heure, par exemple 2026-11-16T10:30.`,
    order: fr`La fin vient avant le début.`,
    rest: (count: number) => fr`Il en reste ${count} : envoyez la suite par un second formulaire.`,
    many: fr`Il en reste plus de ${countedMax - eventsMax} : choisissez une période plus courte.`,
  },
  en: {
    noTime: 'Write a day and a time, for example 2026-11-16T10:30.',
    order: 'The end comes before the start.',
    rest: (count: number) => `${count} are left: send them with a second form.`,
    many: `More than ${countedMax - eventsMax} are left: choose a shorter period.`,
  },
})

/** POST /dashboard/developers/webhooks/replay-range: what happened between two moments. */
export default function replayRange(pages: Pages, context: DashboardContext): void {
  const { db, webhooks } = context
  pages.action(
    '/dashboard/developers/webhooks/replay-range',
    { action: 'event.resend' },
    async (visit, form) => {
      const { noTime, order, rest, many } = words[visit.language]
      const { id: clientId } = visit.client
      const problems: Problems = {}
      const [from, to] = [form.get('from'), form.get('to')]
      if (!isTime(from)) problems.from = noTime
      if (!isTime(to)) problems.to = noTime
      else if (isTime(from) && to <= from) problems.to = order
      if (Object.keys(problems).length > 0)
        return webhooksScreen(context, visit, { fields: form.fields, problems })
      const ids = await readEventIds(db, {
        clientId,
        from: momentAt(from, visit.zone),
        to: momentAt(to, visit.zone),
        isAll: form.has('all'),
        limit: countedMax,
      })
      const viewer = wholeClient(clientId)
      const made = await webhooks.feed.replayAll(viewer, ids.slice(0, eventsMax))
      const became = await webhooks.feed.untilTried(viewer, made, outcomeWaitMs)
      const restText = ids.length < countedMax ? rest(ids.length - eventsMax) : many
      const left = ids.length > eventsMax ? ` ${restText}` : ''
      return { to: '/dashboard/developers/webhooks', text: outcomeText(visit, became) + left }
    },
  )
}

/** What a field of day and time sends. */
function isTime(text: string): boolean {
  const [day = '', time = ''] = text.split('T')
  return isDay(day) && /^([01]\d|2[0-3]):[0-5]\d$/.test(time)
}
