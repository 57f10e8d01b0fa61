import type {
  AttemptSummary,
  DeliverySummary,
  StoredEvent,
} from '#backoffice/webhooks/operate-store.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment, money, shortId, technical } from '#doors/dashboard/frame/components.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { noteIn } from '#doors/dashboard/frame/technical-words.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { masked } from '#doors/dashboard/transactions/masked.ts'
import { eventName } from '#edge/wire/event-name.ts'
import { bodyOf, shownBody } from '../events/shown-body.ts'
import { detailScreen } from '../tabs.ts'
import { deliveryState, deliveryWords } from './delivery-words.ts'

const words = inBoth({
  fr: {
    title: 'Envoi',
    type: 'Type',
    request: fr`Ce qui est envoyé`,
    signature: fr`signature (elle n'est pas gardée)`,
    attempt: (number: number) => fr`Tentative ${number}`,
    none: fr`Aucune tentative pour l'instant.`,
    took: (ms: number) => fr`après ${ms}\u00a0ms`,
    empty: fr`(réponse vide)`,
  },
  en: {
    title: 'Delivery',
    type: 'Type',
    request: 'What is sent',
    signature: 'signature (it is not kept)',
    attempt: (number: number) => `Attempt ${number}`,
    none: 'No attempt yet.',
    took: (ms: number) => `after ${ms}\u00a0ms`,
    empty: '(empty answer)',
  },
})

/** GET /dashboard/developers/webhooks/:id */
export default function delivery(pages: Pages, { webhooks }: DashboardContext): void {
  pages.screen('/dashboard/developers/webhooks/:id', 'developer.read', async (visit) => {
    const id = visit.part('id')
    const { id: clientId } = visit.client
    const [one] = isUuid(id) ? await webhooks.deliveries.find(clientId, [id]) : []
    const event = one && (await webhooks.events.find(clientId, one.eventId))
    if (one === undefined || event === undefined) return undefined
    const all = await webhooks.deliveries.triesOf({ clientId, id: one.eventId })
    const attempts = all.filter(({ deliveryId }) => deliveryId === id)
    return detailScreen(visit, 'webhooks', {
      title: words[visit.language].title,
      aside: deliveryState(visit, one.state),
      body: html`<section class="card">${summary(visit, one)}</section>
${attemptList(visit, attempts, event)}
${technical(visit, [sent(visit, one, event)])}`,
    })
  })
}

function summary(visit: Visit, one: DeliverySummary): Html {
  const say = deliveryWords[visit.language]
  const href = `/dashboard/developers/events/${one.eventId}`
  return html`${facts([
    [say.event, html`<a href="${href}"><code>evt_${one.eventId}</code></a>`],
    [words[visit.language].type, html`<code>${eventName(one)}</code>`],
    [say.reference, one.externalId !== null && shortId(visit.language, one.externalId)],
    [say.amount, money(one.amount)],
    [say.when, moment(visit, one.createdAt)],
    [say.address, html`<bdi>${one.url}</bdi>`],
    [say.tries, one.tries],
    [say.next, one.dueAt && one.state === 'pending' && moment(visit, one.dueAt)],
  ])}
${
  visit.may('event.resend') &&
  html`<form method="post" action="${href}/replay">${tokenField(visit)}
<button class="second">${say.again}</button></form>`
}`
}

function sent(visit: Visit, { url }: DeliverySummary, event: StoredEvent): Html {
  const { request, signature } = words[visit.language]
  const head = [
    `POST ${url}`,
    'content-type: application/json',
    `webhook-id: evt_${event.id}`,
    `webhook-signature: ${signature}`,
  ].join('\n')
  return html`<section class="card"><h2>${request}</h2><pre tabindex="0">${head}

${shownBody(visit, event.body)}</pre></section>`
}

function attemptList(visit: Visit, attempts: AttemptSummary[], { body }: StoredEvent): Html {
  const say = words[visit.language]
  const number = bodyOf(body).PHONE_NUMBER ?? ''
  if (attempts.length === 0) return html`<section class="card"><p>${say.none}</p></section>`
  const answerOf = ({ httpStatus, excerpt }: AttemptSummary): Piece => {
    const text = excerpt === '' ? say.empty : masked(visit, excerpt, number)
    return httpStatus !== null && html`<pre tabindex="0">${text}</pre>`
  }
  const note = ({ problem }: AttemptSummary): Piece =>
    problem !== null && html`<p class="wrong"><bdi>${noteIn(visit.language, problem)}</bdi></p>`
  return html`${attempts.map(
    (one) => html`<section class="card"><h2>${say.attempt(one.number)}</h2>
<p>${moment(visit, one.at)} · <b>${
      one.httpStatus === null ? deliveryWords[visit.language].noAnswer : `HTTP ${one.httpStatus}`
    }</b> ${say.took(one.durationMs)}</p>
<p class="hint"><code>webhook-timestamp: ${Math.floor(one.at.getTime() / 1000)}</code></p>
${note(one)}
${answerOf(one)}</section>`,
  )}`
}
