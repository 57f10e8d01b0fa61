import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isDayAndTime, momentAt } from '#base/kit/zoned-days.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Form } from '#doors/dashboard/frame/actions.ts'
import type { Problems } from '#doors/dashboard/frame/fields.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { type Outcome, outcomeOf, outcomeWaitMs } from './delivery-words.ts'

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

type Parts = Pick<DashboardContext, 'webhooks'>

/** Sends the events of a client again that are ticked, and says what became of them. */
export async function resendTicked(
  { webhooks }: Parts,
  visit: AnyVisit,
  clientId: number,
  { fields }: Form,
): Promise<Outcome> {
  const names = Object.keys(fields).filter((name) => name.startsWith('event-'))
  const ids = names.map((name) => name.slice('event-'.length)).filter(isUuid)
  return resend(webhooks, visit, clientId, ids)
}

/** Sends what happened to a client between two moments again: what became of it, or problems. */
export async function resendRange(
  { webhooks }: Parts,
  visit: AnyVisit,
  clientId: number,
  form: Form,
): Promise<Outcome | { problems: Problems }> {
  const { noTime, order, rest, many } = words[visit.language]
  const problems: Problems = {}
  const [from, to] = [form.get('from'), form.get('to')]
  if (!isDayAndTime(from)) problems.from = noTime
  if (!isDayAndTime(to)) problems.to = noTime
  else if (isDayAndTime(from) && to <= from) problems.to = order
  if (Object.keys(problems).length > 0) return { problems }
  const ids = await webhooks.events.idsIn({
    clientId,
    from: momentAt(from, visit.zone),
    to: momentAt(to, visit.zone),
    isAll: form.has('all'),
    limit: countedMax,
  })
  const outcome = await resend(webhooks, visit, clientId, ids.slice(0, eventsMax))
  if (ids.length <= eventsMax) return outcome
  const more = ids.length < countedMax ? rest(ids.length - eventsMax) : many
  return { ...outcome, text: `${outcome.text} ${more}` }
}

async function resend(
  { feed }: DashboardContext['webhooks'],
  visit: AnyVisit,
  clientId: number,
  ids: string[],
): Promise<Outcome> {
  const viewer = wholeClient(clientId)
  const made = await feed.replayAll(viewer, ids)
  return outcomeOf(visit, await feed.untilTried(viewer, made, outcomeWaitMs))
}
