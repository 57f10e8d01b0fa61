import type { DeliverySummary } from '#backoffice/webhooks/operate-store.ts'
import { html } from '#base/kit/html.ts'
import { moment, money, shortId } from '#doors/dashboard/frame/components.ts'
import type { Column } from '#doors/dashboard/frame/table.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { eventName } from '#edge/wire/event-name.ts'
import { deliveryState, deliveryWords, lastAnswer } from './delivery-words.ts'

/** The page where a merchant sees one delivery. */
export function pageOfDelivery(id: string): string {
  return `/dashboard/developers/webhooks/${id}`
}

/** What every list of deliveries shows of each, with a link to its page where it has one. */
export function deliveryColumns(
  visit: AnyVisit,
  pageOf?: (id: string) => string,
): Column<DeliverySummary>[] {
  const names = deliveryWords[visit.language]
  return [
    {
      name: names.when,
      isTitle: true,
      cell: ({ id, createdAt }) =>
        pageOf === undefined
          ? moment(visit, createdAt)
          : html`<a href="${pageOf(id)}">${moment(visit, createdAt)}</a>`,
    },
    {
      name: names.event,
      cell: (one) => html`<code>${eventName(one)}</code> <small><bdi>${one.url}</bdi></small>`,
    },
    {
      name: names.reference,
      cell: ({ externalId }) => externalId !== null && shortId(visit.language, externalId),
    },
    { name: names.amount, isNumeric: true, cell: ({ amount }) => money(amount) },
    { name: names.state, cell: ({ state }) => deliveryState(visit, state) },
    { name: names.tries, isNumeric: true, cell: ({ tries }) => tries },
    { name: names.answer, cell: (one) => lastAnswer(visit, one) },
  ]
}
