import { html } from '../../../kit/html.ts'
import type { DeliverySummary } from '../../../webhooks/operate-store.ts'
import { moment } from '../../frame/components.ts'
import type { Column } from '../../frame/table.ts'
import type { Visit } from '../../frame/visit.ts'
import { deliveryState, deliveryWords, lastAnswer } from './delivery-words.ts'

/** What every list of deliveries shows of each. */
export function deliveryColumns(visit: Visit): Column<DeliverySummary>[] {
  const names = deliveryWords[visit.language]
  return [
    {
      name: names.when,
      isTitle: true,
      cell: ({ id, createdAt }) =>
        html`<a href="/dashboard/developers/webhooks/${id}">${moment(visit, createdAt)}</a>`,
    },
    { name: names.address, cell: ({ url }) => html`<bdi>${url}</bdi>` },
    { name: names.state, cell: ({ state }) => deliveryState(visit, state) },
    { name: names.tries, isNumeric: true, cell: ({ tries }) => tries },
    { name: names.answer, cell: (one) => lastAnswer(visit, one) },
  ]
}
