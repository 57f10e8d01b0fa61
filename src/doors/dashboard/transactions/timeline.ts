import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { instant, status } from '../frame/components.ts'
import { type Column, table } from '../frame/table.ts'
import { isLost, noteIn } from '../frame/technical-words.ts'
import type { AnyVisit } from '../frame/visit.ts'
import { masked } from './masked.ts'

const words = inBoth({
  fr: {
    title: fr`Ce qui s'est passé`,
    attempts: fr`Échanges avec le prestataire`,
    attempt: (number: number) => fr`Tentative ${number}`,
    none: fr`Aucun échange n'est encore enregistré.`,
    when: 'Date',
    who: 'Source',
    what: fr`Réponse`,
    raw: fr`Tel que reçu`,
    conflicts: {
      late_success: fr`Le prestataire signale un paiement arrivé trop tard, ou en double`,
      contradiction: fr`Le prestataire dit maintenant le contraire de ce qu'il avait confirmé`,
      wrong_amount: fr`Le prestataire signale un autre montant que celui demandé`,
      unusable_reference: fr`La référence du prestataire ne peut pas être enregistrée`,
    },
  },
  en: {
    title: 'What happened',
    attempts: 'Exchanges with the provider',
    attempt: (number: number) => `Attempt ${number}`,
    none: 'No exchange is recorded yet.',
    when: 'Date',
    who: 'Source',
    what: 'Answer',
    raw: 'As received',
    conflicts: {
      late_success: 'The provider reports a late or duplicate payment',
      contradiction: 'The provider now says the opposite of what it had confirmed',
      wrong_amount: 'The provider reports a different amount from the one ordered',
      unusable_reference: 'The provider’s reference cannot be stored',
    },
  },
})

const triggers = inBoth<Record<string, string>>({
  fr: {
    accepted: fr`Demande enregistrée`,
    in_progress: fr`Le prestataire a accepté la demande`,
    otp_accepted: fr`Le code du client a été accepté`,
    outcome_unknown: fr`Le résultat n'est pas encore connu`,
    answer_lost: fr`La réponse du prestataire s'est perdue`,
    provider_succeeded: fr`Le prestataire a confirmé`,
    provider_declined: fr`Le prestataire a refusé`,
    payer_refused: fr`Le client a refusé`,
    payer_timeout: fr`Le client n'a pas confirmé à temps`,
    biller_accepted: fr`Le facturier a confirmé`,
    biller_not_confirmed: fr`Le facturier n'a pas encore confirmé`,
    biller_succeeded: fr`Le facturier a confirmé`,
    biller_failed: fr`Le facturier a refusé`,
    failed_by_hand: fr`Fermée par notre équipe après vérification auprès du prestataire`,
    paid_by_hand: fr`Confirmée par notre équipe après vérification auprès du prestataire`,
  },
  en: {
    accepted: 'Request recorded',
    in_progress: 'The provider accepted the request',
    otp_accepted: 'The customer’s code was accepted',
    outcome_unknown: 'The outcome is not known yet',
    answer_lost: 'The provider’s answer was lost',
    provider_succeeded: 'The provider confirmed',
    provider_declined: 'The provider declined',
    payer_refused: 'The customer refused',
    payer_timeout: 'The customer did not confirm in time',
    biller_accepted: 'The biller confirmed',
    biller_not_confirmed: 'The biller has not confirmed yet',
    biller_succeeded: 'The biller confirmed',
    biller_failed: 'The biller refused',
    failed_by_hand: 'Closed by support after checking with the provider',
    paid_by_hand: 'Confirmed by support after checking with the provider',
  },
})

const sources = inBoth<Record<string, string>>({
  fr: {
    prepare: fr`Réponse du prestataire`,
    answer: fr`Réponse du prestataire`,
    query: fr`Statut vérifié auprès du prestataire`,
    callback: fr`Notification du prestataire`,
    confirm: fr`Code du client`,
    operator: fr`Notre équipe`,
    payer: 'Le client',
    statement: fr`Relevé du prestataire`,
  },
  en: {
    prepare: 'Provider’s answer',
    answer: 'Provider’s answer',
    query: 'Status checked with the provider',
    callback: 'Provider’s callback',
    confirm: 'Customer’s code',
    operator: 'Our team',
    payer: 'The customer',
    statement: 'Provider’s statement',
  },
})

const outcomes = inBoth<Record<string, string>>({
  fr: {
    not_sent: fr`Pas envoyée`,
    accepted: fr`Acceptée, en attente du client`,
    pending: 'En attente',
    succeeded: fr`Payée`,
    declined: fr`Refusée`,
    unknown: fr`Résultat inconnu`,
    lost: fr`Sans réponse`,
    claimed: fr`Notification reçue, à vérifier`,
    not_found: 'Inconnue du prestataire',
    wrong_code: 'Code incorrect',
    declined_by_hand: fr`Fermée comme échouée`,
  },
  en: {
    not_sent: 'Not sent',
    accepted: 'Accepted, waiting for the customer',
    pending: 'Waiting',
    succeeded: 'Paid',
    declined: 'Declined',
    unknown: 'Outcome unknown',
    lost: 'No answer',
    claimed: 'Callback received, to be checked',
    not_found: 'Unknown to the provider',
    wrong_code: 'Wrong code',
    declined_by_hand: 'Closed as failed',
  },
})

/** The states of a transaction in order of time, each with who and why. */
export function timeline(visit: AnyVisit, { transaction, steps, conflicts }: Detail): Html {
  const { title } = words[visit.language]
  const told: Record<string, string> = words[visit.language].conflicts
  const triggerWords = triggers[visit.language]
  const sourceWords = sources[visit.language]
  const first = steps[0]?.from ?? transaction.status
  const shown = (text: string) => masked(visit, text, transaction.phone)
  return html`<section class="card"><h2>${title}</h2><ol class="timeline">
${step(visit, transaction.createdAt, first, triggerWords.accepted)}
${steps.map(({ at, to, trigger, by }) => {
  const why = by?.reason ?? null
  return step(
    visit,
    at,
    to,
    html`${triggerWords[triggerOf(trigger, by)] ?? trigger}${
      by !== null && html`<span class="hint"> · ${sourceWords[by.source] ?? by.source}</span>`
    }${why !== null && html`<br><small><bdi>${shown(noteIn(visit.language, why))}</bdi></small>`}`,
  )
})}
${conflicts.map(
  ({ at, kind }) => html`<li>${instant(visit, at)}<p class="wrong">${told[kind] ?? kind}</p></li>`,
)}</ol></section>`
}

/** What a person has decided is not told as what the provider did, nor an answer as a lost one. */
function triggerOf(trigger: string, by: Detail['steps'][number]['by']): string {
  if (trigger === 'outcome_unknown' && by !== null && isLost(by)) return 'answer_lost'
  if (by?.source !== 'operator') return trigger
  return trigger.endsWith('_succeeded') ? 'paid_by_hand' : 'failed_by_hand'
}

function step(visit: AnyVisit, at: Date, state: string, text: Piece): Html {
  return html`<li><p>${status(visit.language, state)} ${text}</p>${instant(visit, at)}</li>`
}

/** What an outcome is called. */
export function outcomeWord(
  { language }: Pick<AnyVisit, 'language'>,
  { source, outcome, reason }: Pick<Evidence, 'source' | 'outcome' | 'reason'>,
): string {
  const own = () => {
    if (source === 'operator' && outcome === 'declined') return 'declined_by_hand'
    if (outcome !== 'unknown') return outcome
    if (source === 'callback') return 'claimed'
    return isLost({ source, outcome, reason }) ? 'lost' : outcome
  }
  return outcomes[language][own()] ?? outcome
}

type Evidence = Detail['attempts'][number]['evidence'][number]

/** Each order that was sent, and what was heard of it. */
export function attempts(visit: AnyVisit, { transaction, attempts: orders }: Detail): Html {
  const { attempts: title, attempt, none, when, who, what, raw } = words[visit.language]
  const shown = (text: string) => masked(visit, text, transaction.phone)
  const columns: Column<Evidence>[] = [
    { name: when, cell: ({ at }) => instant(visit, at) },
    { name: who, isTitle: true, cell: ({ source }) => sources[visit.language][source] ?? source },
    {
      name: what,
      cell: ({ source, outcome, reason, details }) =>
        html`<div>${outcomeWord(visit, { source, outcome, reason })}${
          reason !== null &&
          html`<small><bdi>${shown(noteIn(visit.language, reason))}</bdi></small>`
        }${
          // What an operator wrote names that operator.
          (visit.client === null || source !== 'operator') &&
          html`<details><summary>${raw}</summary><pre tabindex="0">${shown(
            JSON.stringify(details, null, 2),
          )}</pre></details>`
        }</div>`,
    },
  ]
  return html`<section class="card"><h2>${title}</h2>${orders.map(
    ({ number, id, evidence }) => html`<h3>${attempt(number)} <code>${id}</code></h3>
${
  evidence.length === 0
    ? html`<p class="hint">${none}</p>`
    : table(evidence, columns, { caption: attempt(number) })
}`,
  )}</section>`
}
