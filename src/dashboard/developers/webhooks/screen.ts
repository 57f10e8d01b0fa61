import { findClient } from '../../../clients/store.ts'
import { readSecretDates } from '../../../clients/webhook-secret-store.ts'
import type { Html } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { isUuid } from '../../../kit/ids.ts'
import { fr } from '../../../pages/typography.ts'
import type { DeliveryGroup, DeliverySummary } from '../../../webhooks/operate-store.ts'
import { readDeliveries } from '../../../webhooks/operate-store.ts'
import type { DashboardContext } from '../../context.ts'
import { empty, hrefWith } from '../../frame/components.ts'
import type { Problems } from '../../frame/fields.ts'
import type { Screen } from '../../frame/layout.ts'
import { tokenField } from '../../frame/layout.ts'
import type { Column } from '../../frame/table.ts'
import { pager, table } from '../../frame/table.ts'
import type { Visit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import { chips, developerScreen } from '../tabs.ts'
import { deliveryColumns } from './delivery-columns.ts'
import { addressCard, rangeForm, secretsCard } from './settings-cards.ts'

const words = inBoth({
  fr: {
    deliveries: 'Envois',
    all: 'Tous',
    pending: 'En attente',
    failed: fr`Sans succès`,
    delivered: fr`Livrés`,
    none: fr`Aucun envoi. Un webhook part quand un paiement se termine.`,
    nothing: fr`Aucun envoi dans cet état.`,
    showAll: 'Voir tous les envois',
    tick: 'Choisir',
    tickOne: (at: string) => fr`Choisir l'envoi du ${at}`,
    ticked: fr`Envoyer à nouveau ceux que j'ai choisis`,
  },
  en: {
    deliveries: 'Deliveries',
    all: 'All',
    pending: 'Waiting',
    failed: 'Without success',
    delivered: 'Delivered',
    none: 'No delivery. A webhook leaves when a payment ends.',
    nothing: 'No delivery in this state.',
    showAll: 'Show all deliveries',
    tick: 'Choose',
    tickOne: (at: string) => `Choose the delivery of ${at}`,
    ticked: 'Send those I chose again',
  },
})

const groups = ['all', 'pending', 'failed', 'delivered', 'exhausted', 'stopped'] as const
const rowsPerPage = 25

/** What was typed into a form of the page that is shown again. */
export interface Typed {
  fields: Record<string, string>
  problems: Problems
}

const nothingTyped: Typed = { fields: {}, problems: {} }

/** The page of webhooks: where they go, how they are signed, what became of them. */
export async function webhooksScreen(
  { db, clock }: DashboardContext,
  visit: Visit,
  typed: Typed = nothingTyped,
): Promise<Screen> {
  const { id: clientId } = visit.client
  const group = groups.find((one) => one === visit.query.state) ?? 'all'
  const { after = '' } = visit.query
  const [client, secrets, found] = await Promise.all([
    findClient(db, clientId),
    readSecretDates(db, clientId, clock.now()),
    readDeliveries(db, {
      clientId,
      group,
      ...(isUuid(after) ? { before: after } : {}),
      limit: rowsPerPage + 1,
    }),
  ])
  const isWrong = Object.keys(typed.problems).length > 0
  return developerScreen(
    visit,
    'webhooks',
    html`<div class="columns">${addressCard(visit, client?.callbackUrl ?? null, typed)}
${secretsCard(visit, secrets)}</div>
${deliveryList(visit, group, found)}
${visit.may('event.resend') && rangeForm(visit, typed)}`,
    isWrong ? 422 : 200,
  )
}

function deliveryList(visit: Visit, group: DeliveryGroup, found: DeliverySummary[]): Html {
  const say = words[visit.language]
  const rows = found.slice(0, rowsPerPage)
  const next = found.length > rowsPerPage ? (rows.at(-1)?.id ?? null) : null
  const filters = (['all', 'pending', 'failed', 'delivered'] as const).map((one) => ({
    href: hrefWith(visit, { state: one === 'all' ? null : one, after: null }),
    text: say[one],
    isCurrent: one === group,
  }))
  const listed = table(rows, columnsFor(visit), { caption: say.deliveries })
  return html`<h2>${say.deliveries}</h2>
${chips(filters)}
${
  rows.length === 0 &&
  (group === 'all'
    ? empty(say.none)
    : empty(say.nothing, { href: '/dashboard/developers/webhooks', text: say.showAll }))
}
${rows.length > 0 && !visit.may('event.resend') && listed}
${
  rows.length > 0 &&
  visit.may('event.resend') &&
  html`<form method="post" action="/dashboard/developers/webhooks/replay">${tokenField(visit)}
${listed}<button class="second">${say.ticked}</button></form>`
}
${pager(visit, next)}`
}

function columnsFor(visit: Visit): Column<DeliverySummary>[] {
  const say = words[visit.language]
  const tick: Column<DeliverySummary> = {
    name: say.tick,
    key: 'tick',
    cell: ({ eventId, createdAt }) => html`<input type="checkbox" name="event-${eventId}"
 value="yes" aria-label="${say.tickOne(createdAt.toISOString())}">`,
  }
  return [...(visit.may('event.resend') ? [tick] : []), ...deliveryColumns(visit)]
}
