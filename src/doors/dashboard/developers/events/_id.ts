import type { DeliverySummary, StoredEvent } from '#backoffice/webhooks/operate-store.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import {
  empty,
  facts,
  moment,
  money,
  status,
  technical,
} from '#doors/dashboard/frame/components.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { eventName } from '#edge/wire/event-name.ts'
import { reference, typeWord } from '../events.ts'
import { detailScreen } from '../tabs.ts'
import { deliveryColumns, pageOfDelivery } from '../webhooks/delivery-columns.ts'
import { deliveryWords } from '../webhooks/delivery-words.ts'
import { bodyOf, shownBody } from './shown-body.ts'

const words = inBoth({
  fr: {
    title: fr`Événement`,
    id: fr`Identifiant (webhook-id)`,
    type: 'Type',
    record: 'Paiement',
    body: fr`Contenu envoyé`,
    masked: fr`Les codes de recharge sont cachés ici.`,
    deliveries: 'Envois',
    none: fr`Cet événement n'a pas été envoyé : il n'avait pas d'adresse.`,
  },
  en: {
    title: 'Event',
    id: 'Id (webhook-id)',
    type: 'Type',
    record: 'Payment',
    body: 'Body as sent',
    masked: 'Recharge codes are hidden here.',
    deliveries: 'Deliveries',
    none: 'This event was not sent: it had no address.',
  },
})

/** GET /dashboard/developers/events/:id */
export default function event(pages: Pages, { webhooks }: DashboardContext): void {
  pages.screen('/dashboard/developers/events/:id', 'developer.read', async (visit) => {
    const id = visit.part('id')
    const { id: clientId } = visit.client
    const found = isUuid(id) ? await webhooks.events.find(clientId, id) : undefined
    if (found === undefined) return undefined
    const deliveries = await webhooks.deliveries.ofEvent(clientId, id)
    const say = words[visit.language]
    const hasCode = bodyOf(found.body).TOKEN !== undefined
    return detailScreen(visit, 'events', {
      title: say.title,
      aside: status(visit.language, bodyOf(found.body).STATUS ?? ''),
      body: html`<section class="card">${summary(visit, found, deliveries)}</section>
<h2>${say.deliveries}</h2>${deliveryTable(visit, deliveries)}
${technical(visit, [
  html`<section class="card"><h2>${say.body}</h2>${
    hasCode && html`<p class="hint">${say.masked}</p>`
  }
<pre tabindex="0">${shownBody(visit, found.body)}</pre></section>`,
])}`,
    })
  })
}

function summary(visit: Visit, found: StoredEvent, deliveries: DeliverySummary[]): Html {
  const say = words[visit.language]
  const { again, when, ...names } = deliveryWords[visit.language]
  const room = found.recordKind === 'link' ? 'links' : 'transactions'
  const href = `/dashboard/${room}/${found.recordId}`
  const body = bodyOf(found.body)
  return html`${facts([
    [say.id, html`<code>evt_${found.id}</code>`],
    [say.type, html`<code>${eventName(body)}</code> · ${typeWord(visit, body.transactionType)}`],
    [names.reference, reference(visit, found.body)],
    [names.amount, money(body.AMOUNT)],
    [when, moment(visit, found.createdAt)],
    [say.record, html`<a href="${href}"><code>${found.recordId}</code></a>`],
  ])}
${
  visit.may('event.resend') &&
  html`<form method="post" action="/dashboard/developers/events/${found.id}/replay">${tokenField(
    visit,
  )}<button${deliveries.length > 0 && html` class="second"`}>${again}</button></form>`
}`
}

function deliveryTable(visit: Visit, deliveries: DeliverySummary[]): Html {
  const say = words[visit.language]
  if (deliveries.length === 0) return empty(say.none)
  return table(deliveries, deliveryColumns(visit, pageOfDelivery), { caption: say.deliveries })
}
