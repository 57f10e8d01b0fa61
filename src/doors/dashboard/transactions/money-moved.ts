import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { facts, idLink, instant, money, status } from '../frame/components.ts'
import { table } from '../frame/table.ts'
import type { AnyVisit, Visit } from '../frame/visit.ts'
import { transactionPath } from './rows.ts'

const words = inBoth({
  fr: {
    title: 'Mouvements sur votre compte',
    none: fr`Aucun mouvement.`,
    when: 'Date',
    what: 'Mouvement',
    account: 'Compte',
    amount: 'Montant',
    before: 'Solde avant',
    after: fr`Solde après`,
    refunds: 'Remboursements',
    refunded: fr`Déjà remboursé`,
    left: 'Reste remboursable',
    refund: 'Rembourser',
    id: fr`Référence`,
    state: fr`État`,
  },
  en: {
    title: 'Movements on your account',
    none: 'No movements.',
    when: 'Date',
    what: 'Movement',
    account: 'Account',
    amount: 'Amount',
    before: 'Balance before',
    after: 'Balance after',
    refunds: 'Refunds',
    refunded: 'Refunded so far',
    left: 'Remaining refundable',
    refund: 'Refund',
    id: 'Id',
    state: 'Status',
  },
})

/** What postings do, by their kinds. */
export const postingKinds = inBoth<Record<string, string>>({
  fr: {
    hold: fr`Montant mis en attente`,
    capture: fr`Montant débité`,
    release: fr`Montant rendu`,
    collect: fr`Encaissé`,
    suspend: fr`Mis en compte d'attente`,
    explain: fr`Reçu en retard`,
    fund: fr`Compte alimenté`,
    withdraw: fr`Argent versé à la banque`,
    adjust: fr`Solde corrigé`,
  },
  en: {
    hold: 'Amount held',
    capture: 'Debited',
    release: 'Amount returned',
    collect: 'Collected',
    suspend: 'Put in suspense',
    explain: 'Received late',
    fund: 'Account funded',
    withdraw: 'Paid to the bank',
    adjust: 'Balance corrected',
  },
})

const accounts = inBoth<Record<string, string>>({
  fr: { available: 'Disponible', held: 'En attente' },
  en: { available: 'Available', held: 'Held' },
})

/** The entries of the merchant's own accounts, each with the balance before and after it. */
export function moneyMoved(visit: Visit, { lines }: Detail): Piece {
  if (!visit.may('balance.read')) return null
  const { title, none, when, what, account, amount, before, after } = words[visit.language]
  const own = lines.filter((line) => line.before !== null)
  if (own.length === 0)
    return html`<section class="card"><h2>${title}</h2><p class="hint">${none}</p></section>`
  return html`<section class="card"><h2>${title}</h2>${table(
    own,
    [
      { name: what, isTitle: true, cell: ({ kind }) => postingKinds[visit.language][kind] ?? kind },
      { name: account, cell: (line) => accounts[visit.language][line.account] ?? line.account },
      { name: when, cell: ({ at }) => instant(visit, at) },
      { name: amount, isNumeric: true, cell: (line) => money(line.amount) },
      { name: before, isNumeric: true, cell: (line) => money(line.before ?? 0) },
      { name: after, isNumeric: true, cell: (line) => money(line.after ?? 0) },
    ],
    { caption: title },
  )}</section>`
}

/** How much of a collection can still be refunded. */
export function leftOf({ operation, status: state, amount, refunded }: Transaction): number {
  return operation === 'CASHOUT' && state === 'SUCCESS' ? amount - refunded : 0
}

/** The way to a refund of what is left of a collection. */
export function refundButton(visit: Visit, one: Transaction): Piece {
  return (
    leftOf(one) > 0 &&
    !isPseudonym(one.phone) &&
    visit.may('transaction.refund') &&
    html`<a class="button second"
 href="/dashboard/transactions/${one.id}/refund">${words[visit.language].refund}</a>`
  )
}

/** The refunds of a collection and what is left of it; nothing while there is none. */
export function refundList(visit: AnyVisit, { transaction, refunds }: Detail): Piece {
  const left = leftOf(transaction)
  if (refunds.length === 0) return null
  const {
    refunds: title,
    refunded,
    left: leftWord,
    when,
    amount,
    id,
    state,
  } = words[visit.language]
  return html`<section class="card"><h2>${title}</h2>
${table(
  refunds,
  [
    { name: id, isTitle: true, cell: (one) => refundWay(visit, one) },
    { name: when, cell: (one) => instant(visit, one.createdAt) },
    { name: amount, isNumeric: true, cell: (one) => money(one.amount) },
    { name: state, cell: (one) => status(visit.language, one.status) },
  ],
  { caption: title },
)}
${facts([
  [refunded, money(transaction.refunded)],
  [leftWord, money(left)],
])}</section>`
}

function refundWay(visit: AnyVisit, { id }: Transaction): Html {
  return idLink(transactionPath(visit, id), id)
}
