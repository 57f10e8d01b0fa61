import { eventTypes } from '#backoffice/webhooks/event-browser.ts'
import type { StoredEvent } from '#backoffice/webhooks/operate-store.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { eventName } from '#edge/wire/event-name.ts'
import type { DashboardContext } from '../context.ts'
import { empty, hrefWith, moment, money, shortId } from '../frame/components.ts'
import { kindWord } from '../frame/kinds.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, pager, table } from '../frame/table.ts'
import { chips, toolbar } from '../frame/toolbar.ts'
import type { Visit } from '../frame/visit.ts'
import { bodyOf } from './events/shown-body.ts'
import { developerScreen } from './tabs.ts'

const words = inBoth({
  fr: {
    title: fr`Événements`,
    about: fr`Tout ce que vos programmes apprennent, dans l'ordre, avec ou sans webhook.`,
    all: 'Tous',
    link: fr`Lien de paiement`,
    when: 'Date',
    type: 'Type',
    reference: fr`Votre référence`,
    amount: 'Montant',
    position: 'Position',
    none: fr`Aucun événement. Il y en aura un dès qu'un paiement se terminera.`,
    nothing: fr`Aucun événement de ce type ici.`,
    showAll: fr`Voir tous les événements`,
  },
  en: {
    title: 'Events',
    about: 'Everything your programs learn, in order, with or without a webhook.',
    all: 'All',
    link: 'Payment link',
    when: 'Date',
    type: 'Type',
    reference: 'Your reference',
    amount: 'Amount',
    position: 'Position',
    none: 'No events yet. There will be one as soon as a payment ends.',
    nothing: 'No event of this type here.',
    showAll: 'Show all events',
  },
})

const rowsPerPage = 25

/** GET /dashboard/developers/events */
export default function events(pages: Pages, { webhooks }: DashboardContext): void {
  pages.screen('/dashboard/developers/events', 'developer.read', async (visit) => {
    const type = eventTypes.find((one) => one === visit.query.type) ?? null
    const { after = '' } = visit.query
    const before = /^[1-9]\d{0,14}$/.test(after) ? Number(after) : null
    const order = { clientId: visit.client.id, type, before, limit: rowsPerPage }
    const { events: found, next } = await webhooks.events.page(order)
    const say = words[visit.language]
    const filters = [null, ...eventTypes].map((one) => ({
      href: hrefWith(visit, { type: one, after: null }),
      text: one === null ? say.all : one.toLowerCase(),
      isCurrent: one === type,
    }))
    return developerScreen(
      visit,
      'events',
      html`<h2>${say.title}</h2><p class="hint">${say.about}</p>
${toolbar(chips(filters))}
${found.length === 0 && nothing(visit, type !== null)}
${table(found, columnsFor(visit), { caption: say.title })}
${pager(visit, next === null ? null : String(next))}`,
    )
  })
}

function nothing({ language }: Visit, isFiltered: boolean): Html {
  const { none, nothing: text, showAll } = words[language]
  return isFiltered
    ? empty(text, { href: '/dashboard/developers/events', text: showAll })
    : empty(none)
}

/** What an event is about. */
export function typeWord({ language }: Visit, type: string | undefined): string {
  const kind = eventTypes.find((one) => one === type)
  if (kind === undefined) return type ?? ''
  return kind === 'PAYMENT' ? words[language].link : kindWord(language, kind)
}

/** The merchant's id of what an event is about; a refund may have none. */
export function reference({ language }: Visit, body: string): Piece {
  const { externalTransactionId: id } = bodyOf(body)
  return id !== '' && shortId(language, id)
}

function columnsFor(visit: Visit): Column<StoredEvent>[] {
  const say = words[visit.language]
  return [
    {
      name: say.when,
      isTitle: true,
      cell: ({ id, createdAt }) =>
        html`<a href="/dashboard/developers/events/${id}">${moment(visit, createdAt)}</a>`,
    },
    { name: say.type, cell: ({ body }) => html`<code>${eventName(bodyOf(body))}</code>` },
    {
      name: say.reference,
      cell: ({ body }) => reference(visit, body),
    },
    { name: say.amount, isNumeric: true, cell: ({ body }) => money(bodyOf(body).AMOUNT) },
    { name: say.position, isNumeric: true, cell: ({ position }) => position },
  ]
}
