import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { eventName } from '#edge/wire/event-name.ts'
import { bodyOf, shownBody } from '../developers/events/shown-body.ts'
import { facts, instant } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import { type Column, table } from '../frame/table.ts'
import { noteIn } from '../frame/technical-words.ts'
import type { AnyVisit } from '../frame/visit.ts'
import { masked } from './masked.ts'
import { transactionPath } from './rows.ts'

const words = inBoth({
  fr: {
    title: fr`Webhook`,
    opsTitle: fr`Webhook au marchand`,
    notYet: fr`Le webhook part quand la transaction est terminée.`,
    nowhere: fr`Aucune adresse de webhook : il n'a pas été envoyé.`,
    event: fr`Événement`,
    created: fr`Créé`,
    body: fr`Contenu envoyé`,
    sealed: fr`Le contenu comporte un code de recharge : il n'est pas affiché ici.`,
    tries: 'Envois',
    when: 'Date',
    address: 'Adresse',
    answer: fr`Réponse`,
    waiting: 'En attente',
    noAnswer: 'Pas de réponse',
    took: (ms: number) => fr`${ms}\u00a0ms`,
    again: fr`Renvoyer`,
  },
  en: {
    title: 'Webhook',
    opsTitle: 'Webhook to the merchant',
    notYet: 'The webhook is sent when the transaction ends.',
    nowhere: 'No webhook address: it was not sent.',
    event: 'Event',
    created: 'Created',
    body: 'Body as sent',
    sealed: 'The body contains a recharge code: it is not shown here.',
    tries: 'Deliveries',
    when: 'Date',
    address: 'Address',
    answer: 'Answer',
    waiting: 'Waiting',
    noAnswer: 'No answer',
    took: (ms: number) => `${ms}\u00a0ms`,
    again: 'Resend',
  },
})

type Try = Detail['deliveries'][number]

/** The event of a transaction, and each try to deliver it: what was sent and what came back. */
export function eventTold(visit: AnyVisit, { transaction, event, deliveries }: Detail): Html {
  const { notYet, nowhere, event: eventWord, created, tries, again } = words[visit.language]
  const title = words[visit.language][visit.client === null ? 'opsTitle' : 'title']
  if (event === null)
    return html`<section class="card"><h2>${title}</h2><p class="hint">${notYet}</p></section>`
  const isOps = visit.client === null
  const mayRead = visit.may(isOps ? 'ops.read' : 'developer.read')
  const action = `${transactionPath(visit, transaction.id)}/resend`
  return html`<section class="card"><h2>${title}</h2>
${facts([
  [eventWord, html`<code>${nameOf(transaction, event)}</code> <code>evt_${event.id}</code>`],
  [created, instant(visit, event.createdAt)],
])}
${mayRead && requestSent(visit, event.body)}
${deliveries.length === 0 && html`<p class="hint">${nowhere}</p>`}
${
  deliveries.length > 0 &&
  table(deliveries, tryColumns(visit, transaction.phone), { caption: tries })
}
${
  visit.may(isOps ? 'ops.webhooks.resend' : 'event.resend') &&
  deliveries.length > 0 &&
  html`<form method="post" action="${action}">${tokenField(visit)}
<button class="second">${again}</button></form>`
}</section>`
}

/** The kind of event as lists of events name it; a sealed body is that of the transaction. */
function nameOf(
  { operation, status }: Detail['transaction'],
  { body }: NonNullable<Detail['event']>,
): string {
  return eventName(body === null ? { transactionType: operation, STATUS: status } : bodyOf(body))
}

function requestSent(visit: AnyVisit, body: string | null): Html {
  const { body: title, sealed } = words[visit.language]
  if (body === null) return html`<p class="hint">${sealed}</p>`
  return html`<details><summary>${title}</summary><pre tabindex="0">${shownBody(
    visit,
    body,
  )}</pre></details>`
}

function tryColumns(visit: AnyVisit, number: string): Column<Try>[] {
  const { when, address, answer, waiting, noAnswer, took } = words[visit.language]
  const result = ({ at, httpStatus, problem, excerpt, durationMs }: Try): Piece => {
    if (at === null) return waiting
    return html`<div><b>${httpStatus === null ? noAnswer : `HTTP ${httpStatus}`}</b>
<span class="hint">${took(durationMs ?? 0)}</span>${
      problem !== null && html`<small><bdi>${noteIn(visit.language, problem)}</bdi></small>`
    }${
      excerpt !== null &&
      excerpt !== '' &&
      html`<pre tabindex="0"><bdi>${masked(visit, excerpt, number)}</bdi></pre>`
    }</div>`
  }
  return [
    { name: when, cell: ({ at, createdAt }) => instant(visit, at ?? createdAt) },
    { name: address, isTitle: true, cell: ({ url }) => html`<code>POST ${url}</code>` },
    { name: answer, cell: result },
  ]
}
