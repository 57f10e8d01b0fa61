import { html } from '../../../kit/html.ts'
import type { DeliverySummary } from '../../../webhooks/operate-store.ts'
import { eventName } from '../../../wire/event-name.ts'
import { moment, money, shortId } from '../../frame/components.ts'
import type { Column } from '../../frame/table.ts'
import type { AnyVisit } from '../../frame/visit.ts'
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
