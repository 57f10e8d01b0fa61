import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import { chargedFee, failureCodeOf, failureMessage } from '#edge/wire/failure.ts'
import { isDebit, isTokenMissing, type Transaction } from '#money/transactions/transaction.ts'
import { copyButton, facts, instant, money, phone, status } from '../frame/components.ts'
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

/** Amount, fee, net, and everything that identifies a transaction. */
export function summary(
  visit: AnyVisit,
  { transaction: one, original }: Detail,
  { shops, links }: Pick<RowNames, 'shops' | 'links'>,
  first: Fact[] = [],
): Html {
  const { language } = visit
  const all = { ...columnWords[language], ...words[language] }
  const names = visit.client === null ? { ...all, net: all.opsNet, yours: all.theirs } : all
  const { subMerchantId, linkId } = one
  const behind = links.get(one.id)
  const forgotten = isPseudonym(one.phone) && html` ${names.forgotten}`
  const id = (text: string | null) =>
    text !== null && html`<code>${text}</code>${copyButton(language, text)}`
  return html`<section class="card"><h2>${names.summary}</h2>
${facts([
  ...first,
  [names.status, status(language, one.status)],
  [names.amount, money(signed(one))],
  [names.fee, money(-chargedFee(one))],
  [names.net, one.status === 'SUCCESS' && money(netOf(one))],
  [
    one.operation === 'BILL' ? names.meter : names.number,
    html`${phone(visit, one.phone, one.serviceCode)}${forgotten}`,
  ],
  [names.item, someText(behind?.itemName)],
  [names.customer, someText(behind?.customerName)],
  [names.moment, instant(visit, one.createdAt)],
  [names.ended, one.completedAt !== null && instant(visit, one.completedAt)],
  [names.ours, id(one.id)],
  [names.yours, id(ownReference(one, links))],
  [names.reference, id(one.reference)],
  [names.service, html`<code>${one.serviceCode}</code>`],
  [names.bill, id(one.billReference)],
  [names.reason, one.reason !== null && html`<bdi>${one.reason}</bdi>`],
  [
    names.shop,
    subMerchantId !== null && html`<bdi>${shops.get(subMerchantId) ?? subMerchantId}</bdi>`,
  ],
  [names.payee, html`<bdi>${one.payeeName}</bdi>`],
  [names.link, linkId !== null && linkWay(visit, linkId)],
  [names.original, original !== null && originalWay(visit, original)],
])}</section>`
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
