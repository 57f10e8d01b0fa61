import type { Webhooks } from '#backoffice/webhooks/open.ts'
import type { DeliverySummary } from '#backoffice/webhooks/operate-store.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { dayAndTimeOf } from '#base/kit/zoned-days.ts'
import { empty, hrefWith } from '#doors/dashboard/frame/components.ts'
import { checkbox, field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import { type Column, pager, table } from '#doors/dashboard/frame/table.ts'
import { chips } from '#doors/dashboard/frame/toolbar.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { deliveryColumns } from './delivery-columns.ts'

const words = inBoth({
  fr: {
    deliveries: 'Envois',
    all: 'Tous',
    pending: 'En attente',
    failed: fr`Échoués`,
    delivered: fr`Livrés`,
    none: fr`Aucun envoi pour l'instant. Un webhook part quand un paiement se termine.`,
    nothing: fr`Aucun envoi dans cet état.`,
    showAll: 'Voir tous les envois',
    tick: 'Sélectionner',
    tickOne: (at: string) => fr`Sélectionner l'envoi du ${at}`,
    ticked: fr`Renvoyer la sélection`,
    range: fr`Renvoyer une période`,
    rangeHint: fr`Par exemple après une panne de votre programme. 1 000 événements au plus à la
      fois, les plus anciens d'abord.`,
    from: 'Du',
    to: fr`Jusqu'au (non compris)`,
    everything: fr`Renvoyer aussi ceux qui ont été livrés`,
    go: fr`Renvoyer`,
  },
  en: {
    deliveries: 'Deliveries',
    all: 'All',
    pending: 'Waiting',
    failed: 'Failed',
    delivered: 'Delivered',
    none: 'No deliveries yet. A webhook is sent when a payment ends.',
    nothing: 'No deliveries in this state.',
    showAll: 'Show all deliveries',
    tick: 'Choose',
    tickOne: (at: string) => `Choose the delivery of ${at}`,
    ticked: 'Resend selected',
    range: 'Resend a date range',
    rangeHint:
      'For example after your program was down. At most 1 000 events at a time, oldest first.',
    from: 'From',
    to: 'Up to (not included)',
    everything: 'Resend those already delivered, too',
    go: 'Resend',
  },
})

const groups = ['all', 'pending', 'failed', 'delivered', 'exhausted', 'stopped'] as const
const rowsPerPage = 25

/** What was typed into a form of the page that is shown again. */
export interface Typed {
  fields: Record<string, string>
  problems: Problems
}

export const nothingTyped: Typed = { fields: {}, problems: {} }

interface DeliveryList {
  clientId: number
  /** The address of the page, and of its forms: `…/replay` and `…/replay-range`. */
  base: string
  /** The page of a delivery. */
  pageOf?: (id: string) => string
  mayResend: boolean
  typed?: Typed
}

/**
 * The deliveries of a client in a state that the address names, newest first, with forms that send
 * them again.
 */
export async function deliveryList(
  webhooks: Webhooks,
  visit: AnyVisit,
  list: DeliveryList,
): Promise<Html> {
  const { clientId, base, mayResend, typed = nothingTyped } = list
  const say = words[visit.language]
  const group = groups.find((one) => one === visit.query.state) ?? 'all'
  const { after = '' } = visit.query
  const found = await webhooks.deliveries.list({
    clientId,
    group,
    ...(isUuid(after) ? { before: after } : {}),
    limit: rowsPerPage + 1,
  })
  const rows = found.slice(0, rowsPerPage)
  const next = found.length > rowsPerPage ? (rows.at(-1)?.id ?? null) : null
  const filters = (['all', 'pending', 'failed', 'delivered'] as const).map((one) => ({
    href: hrefWith(visit, { state: one === 'all' ? null : one, after: null }),
    text: say[one],
    isCurrent: one === group,
  }))
  const listed = table(rows, columnsFor(visit, list), { caption: say.deliveries })
  return html`<h2>${say.deliveries}</h2>
${chips(filters)}
${
  rows.length === 0 &&
  (group === 'all' ? empty(say.none) : empty(say.nothing, { href: base, text: say.showAll }))
}
${rows.length > 0 && !mayResend && listed}
${
  rows.length > 0 &&
  mayResend &&
  html`<form method="post" action="${base}/replay">${tokenField(visit)}
${listed}<button class="second">${say.ticked}</button></form>`
}
${pager(visit, next)}
${mayResend && rangeForm(visit, base, typed)}`
}

function columnsFor(
  visit: AnyVisit,
  { mayResend, pageOf }: DeliveryList,
): Column<DeliverySummary>[] {
  const say = words[visit.language]
  const tick: Column<DeliverySummary> = {
    name: say.tick,
    key: 'tick',
    cell: ({ eventId, createdAt }) => html`<input type="checkbox" name="event-${eventId}"
 value="yes" aria-label="${say.tickOne(createdAt.toISOString())}">`,
  }
  return [...(mayResend ? [tick] : []), ...deliveryColumns(visit, pageOf)]
}

function rangeForm(visit: AnyVisit, base: string, { fields, problems }: Typed): Html {
  const say = words[visit.language]
  const own = Object.fromEntries(
    Object.entries(problems).filter(([name]) => ['from', 'to'].includes(name)),
  )
  const isOpen = Object.keys(own).length > 0
  const time = (name: 'from' | 'to', value: string) =>
    field({ name, label: say[name], type: 'datetime-local', value, isRequired: true }, own)
  const from = fields.from ?? ''
  const to = fields.to ?? dayAndTimeOf(visit.now, visit.zone)
  return html`<details class="card fold"${isOpen && html` open`}><summary>${say.range}</summary>
<form method="post" action="${base}/replay-range">${tokenField(visit)}
<p class="hint">${say.rangeHint}</p>${problemList(visit.language, own)}
<div class="columns">${time('from', from)}${time('to', to)}</div>
${checkbox('all', say.everything, Object.hasOwn(fields, 'all'))}
<button class="second">${say.go}</button></form></details>`
}
