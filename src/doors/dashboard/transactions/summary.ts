import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import { chargedFee, failureCodeOf, failureMessage } from '#edge/wire/failure.ts'
import { isDebit, isTokenMissing, type Transaction } from '#money/transactions/transaction.ts'
import { copyButton, facts, instant, money, phone } from '../frame/components.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'
import type { AnyVisit, Visit } from '../frame/visit.ts'
import {
  columnWords,
  netOf,
  ownReference,
  type RowNames,
  signed,
  someText,
  transactionPath,
} from './rows.ts'

const words = inBoth({
  fr: {
    summary: 'Résumé',
    identifiers: fr`Références`,
    net: fr`Net sur votre compte`,
    opsNet: fr`Net pour le marchand`,
    ended: fr`Terminée`,
    reference: fr`Référence du prestataire`,
    service: 'Code du service',
    reason: 'Motif',
    link: 'Lien de paiement',
    bill: 'Facture',
    meter: 'Compteur ou client',
    forgotten: fr`(numéro effacé, remplacé par ce pseudonyme)`,
    original: fr`Paiement remboursé`,
    payee: fr`Nom montré au client`,
    open: fr`En attente du paiement du client.`,
    reserved: fr`L'argent est mis en attente sur votre compte. Il est débité si l'opération
      réussit, et vous est rendu si elle échoue.`,
    unknown: fr`Le prestataire n'a pas encore donné de résultat. Nous le lui demandons. Vous n'avez
      rien à faire. Ne payez pas une deuxième fois.`,
    parked: fr`Le résultat n'est pas encore connu : notre équipe vérifie auprès du prestataire. Ne
      payez pas une deuxième fois.`,
    noCode: fr`La recharge est payée, mais le code de recharge manque encore. Nous le demandons au
      prestataire. Vous n'avez rien à faire. Ne payez pas une deuxième fois.`,
    failed: fr`Motif de l'échec`,
    notMoved: fr`Votre compte n'a pas été débité.`,
    notCollected: fr`Rien n'a été encaissé.`,
  },
  en: {
    summary: 'Summary',
    identifiers: 'References',
    net: 'Net on your account',
    opsNet: 'Net for the merchant',
    ended: 'Ended',
    reference: 'Provider’s reference',
    service: 'Service code',
    reason: 'Reason',
    link: 'Payment link',
    bill: 'Bill',
    meter: 'Meter or customer',
    forgotten: '(number erased, replaced by this pseudonym)',
    original: 'Refunded payment',
    payee: 'Name shown to the customer',
    open: 'Waiting for the customer to pay.',
    reserved: en`The money is held on your account. It is debited if this succeeds, and returned to
        you if it fails.`,
    unknown: en`The provider has not confirmed the outcome yet. We are checking with them. You do
        not need to do anything. Do not pay again.`,
    parked:
      'The outcome is not known yet: our team is checking with the provider. Do not pay again.',
    noCode: en`The top-up is paid, but its recharge code is still missing. We are asking the
        provider for it. You do not need to do anything. Do not pay again.`,
    failed: 'Reason for failure',
    notMoved: 'Your account was not debited.',
    notCollected: 'Nothing was collected.',
  },
})

/** What is to be said of a transaction in words, before all figures. */
export function notice({ language }: Visit, transaction: Transaction): Piece {
  const { unknown, parked, failed, notMoved, notCollected, open, reserved, noCode } =
    words[language]
  const { attemptState, completedAt, operation, status: state } = transaction
  if (state === 'FAILED' || state === 'CANCELLED') {
    const why = failureMessage(failureCodeOf(transaction), language)
    const effect = operation === 'CASHOUT' ? notCollected : notMoved
    return html`<div class="notice bad"><p><b>${failed}</b></p><p>${why}. ${effect}</p></div>`
  }
  if (isTokenMissing(transaction)) return html`<p class="notice">${noCode}</p>`
  if (completedAt !== null) return null
  if (attemptState === 'parked') return html`<p class="notice">${parked}</p>`
  if (attemptState === 'unknown') return html`<p class="notice">${unknown}</p>`
  return html`<p class="notice">${isDebit(transaction) ? reserved : open}</p>`
}

/** Who, what and how much. */
export function summary(
  visit: AnyVisit,
  { transaction: one, original }: Detail,
  { shops, links }: Pick<RowNames, 'shops' | 'links'>,
  first: Fact[] = [],
): Html {
  const { language } = visit
  const names = namesFor(visit)
  const { subMerchantId, linkId } = one
  const behind = links.get(one.id)
  const forgotten = isPseudonym(one.phone) && html` ${names.forgotten}`
  return html`<section class="card"><h2>${names.summary}</h2>
${facts([
  ...first,
  [names.item, someText(behind?.itemName)],
  [names.customer, someText(behind?.customerName)],
  [
    one.operation === 'BILL' ? names.meter : names.number,
    html`${phone(visit, one.phone, one.serviceCode)}${forgotten}`,
  ],
  [names.amount, money(signed(one))],
  [names.fee, money(-chargedFee(one))],
  [names.net, one.status === 'SUCCESS' && money(netOf(one))],
  [names.moment, instant(visit, one.createdAt)],
  [names.yours, copied(language, ownReference(one, links))],
  [names.reason, one.reason !== null && html`<bdi>${one.reason}</bdi>`],
  [
    names.shop,
    subMerchantId !== null && html`<bdi>${shops.get(subMerchantId) ?? subMerchantId}</bdi>`,
  ],
  [names.link, linkId !== null && linkWay(visit, linkId)],
  [names.original, original !== null && originalWay(visit, original)],
])}</section>`
}

/** What programs and providers know a transaction by. */
export function identifiers(visit: AnyVisit, { transaction: one }: Detail): Html {
  const { language } = visit
  const names = namesFor(visit)
  return html`<section class="card"><h2>${names.identifiers}</h2>
${facts([
  [names.ours, copied(language, one.id)],
  [names.reference, copied(language, one.reference)],
  [names.bill, copied(language, one.billReference)],
  [names.service, html`<code>${one.serviceCode}</code>`],
  [names.ended, one.completedAt !== null && instant(visit, one.completedAt)],
  [names.payee, html`<bdi>${one.payeeName}</bdi>`],
])}</section>`
}

function namesFor({ language, client }: AnyVisit) {
  const all = { ...columnWords[language], ...words[language] }
  return client === null ? { ...all, net: all.opsNet, yours: all.theirs } : all
}

function copied(language: Language, text: string | null): Piece {
  return text !== null && html`<code>${text}</code>${copyButton(language, text)}`
}

type Fact = [name: string, value: Piece]

function linkWay({ client }: AnyVisit, id: string): Html {
  // Operators have no page of a link.
  return client === null
    ? html`<code>${id}</code>`
    : html`<a href="/dashboard/links/${id}">${id}</a>`
}

function originalWay(visit: AnyVisit, { id }: Transaction): Html {
  return html`<a href="${transactionPath(visit, id)}">${id}</a>`
}

/** A transaction's name for headings: what it does, and through whom. */
export function titleOf(
  { language }: Pick<AnyVisit, 'language'>,
  { operation, serviceCode }: Pick<Transaction, 'operation' | 'serviceCode'>,
): string {
  return `${kindWord(language, operation)} · ${providerWord(language, serviceCode)}`
}
