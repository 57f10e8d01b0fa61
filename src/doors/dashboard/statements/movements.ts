import type { Movement } from '#backoffice/reports/movements-store.ts'
import { categoryOf, type MovementCategory } from '#backoffice/reports/statement.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'

const categories = inBoth<Record<MovementCategory, string>>({
  fr: {
    collection: 'Encaissements',
    payout: 'Versements',
    airtime: fr`Crédit téléphonique`,
    bill: 'Factures',
    refund: 'Remboursements',
    funding: 'Approvisionnements',
    withdrawal: 'Retraits',
    correction: 'Corrections',
    other: 'Autres',
  },
  en: {
    collection: 'Collections',
    payout: 'Payouts',
    airtime: 'Airtime',
    bill: 'Bills',
    refund: 'Refunds',
    funding: 'Funding',
    withdrawal: 'Withdrawals',
    correction: 'Corrections',
    other: 'Other',
  },
})

/** What movements of an account are for, as people say it. */
export function categoryWord(language: Language, category: MovementCategory): string {
  return categories[language][category]
}

const releaseWords = inBoth({
  fr: { release: fr`annulé, rendu` },
  en: { release: 'not carried out, returned' },
})

/** What one movement is for: its category, its wallet, and whether it takes another one back. */
export function movementText(language: Language, movement: Movement): string {
  const { kind, operation, serviceCode } = movement
  return [
    operation === null
      ? categoryWord(language, categoryOf(movement))
      : kindWord(language, operation),
    serviceCode === null ? null : providerWord(language, serviceCode),
    kind === 'release' ? releaseWords[language].release : null,
  ]
    .filter((part) => part !== null)
    .join(' · ')
}
