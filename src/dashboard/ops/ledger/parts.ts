import type { Html } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import type { Language } from '../../../kit/language.ts'
import { formatAmount } from '../../../kit/money.ts'
import { fr } from '../../../pages/typography.ts'
import type { ShownEntry } from '../../../reports/ledger.ts'
import { copyButton, label, money } from '../../frame/components.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'

/** The words of every screen of the ledger. */
export const ledgerWords = inBoth({
  fr: {
    ledger: 'Grand livre',
    posting: fr`Écriture`,
    account: 'Compte',
    when: 'Date',
    amount: 'Montant',
    before: 'Solde avant',
    after: fr`Solde après`,
    version: fr`Numéro`,
    previous: fr`Empreinte d'avant`,
    hash: 'Empreinte',
    check: fr`Recalcul`,
    equal: fr`identique`,
    differs: fr`différente`,
    transaction: 'Transaction',
    proof: fr`Preuves du grand livre`,
    available: 'Disponible',
    held: 'Retenu',
    fees: 'Nos frais',
    settlement: fr`Règlement avec la banque`,
    suspense: 'Fonds en attente',
    exchange: 'Change',
    provider: (name: string) => fr`Prestataire ${name}`,
  },
  en: {
    ledger: 'Ledger',
    posting: 'Posting',
    account: 'Account',
    when: 'Date',
    amount: 'Amount',
    before: 'Balance before',
    after: 'Balance after',
    version: 'Version',
    previous: 'Previous hash',
    hash: 'Hash',
    check: 'Recomputed',
    equal: 'equal',
    differs: 'differs',
    transaction: 'Transaction',
    proof: 'Proofs of the ledger',
    available: 'Available',
    held: 'Held',
    fees: 'Our fees',
    settlement: 'Settlement with the bank',
    suspense: 'Suspense',
    exchange: 'Exchange',
    provider: (name: string) => `Provider ${name}`,
  },
})

const plainAccounts = ['available', 'held', 'fees', 'settlement', 'suspense', 'exchange'] as const

/** An account in words. */
export function accountWord(language: Language, account: string): string {
  const words = ledgerWords[language]
  const plain = plainAccounts.find((one) => one === account)
  if (plain !== undefined) return words[plain]
  return account.startsWith('provider:')
    ? words.provider(account.split(':').slice(1).join(' '))
    : account
}

export function accountHref(clientId: number, account: string): string {
  return `/dashboard/ops/ledger/${clientId}/${encodeURIComponent(account)}`
}

/** A way to the entries of an account, of one client. */
export function accountWay({ language }: OpsVisit, clientId: number, account: string): Html {
  return html`<a href="${accountHref(clientId, account)}">${accountWord(language, account)}</a>`
}

export function postingHref(id: string): string {
  return `/dashboard/ops/ledger/postings/${id}`
}

/** An amount in its currency; F CFA are not named. */
export function lineAmount({ amount, currency }: Pick<ShownEntry, 'amount' | 'currency'>): Html {
  if (currency === 'XOF') return money(amount)
  const text = formatAmount(Math.abs(amount)).replace(/F.*$/, currency)
  return html`<span class="money">${amount < 0 && '\u2212'}${text}</span>`
}

/** The beginning of a hash, with a button that copies the whole of it. */
export function shortHash(language: Language, hash: string | null): Html | null {
  if (hash === null) return null
  return html`<code title="${hash}">${hash.slice(0, 10)}…</code>${copyButton(language, hash)}`
}

/** Whether something was recomputed as equal. */
export function verdict(language: Language, isEqual: boolean | null): Html | null {
  if (isEqual === null) return null
  const { equal, differs } = ledgerWords[language]
  return isEqual
    ? label('good', equal, 'm5 12.5 4.5 4.5L19 7.5')
    : label('bad', differs, 'm7 7 10 10M17 7 7 17')
}
