import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { countryName } from '#merchants/catalog/countries.ts'
import type { operations } from '#money/transactions/transaction.ts'

type Kind = (typeof operations)[number]

const kindWords = inBoth<Record<Kind, string>>({
  fr: {
    CASHOUT: 'Encaissement',
    CASHIN: 'Versement',
    AIRTIME: fr`Crédit téléphonique`,
    BILL: 'Facture',
    REFUND: 'Remboursement',
  },
  en: {
    CASHOUT: 'Collection',
    CASHIN: 'Payout',
    AIRTIME: 'Airtime',
    BILL: 'Bill',
    REFUND: 'Refund',
  },
})

/** What a transaction does, as the merchant sees it. */
export function kindWord(language: Language, kind: Kind): string {
  return kindWords[language][kind]
}

const billers = inBoth<Record<string, string>>({
  fr: { WATER: 'Eau', ELEC: fr`Électricité`, PREPAID: fr`Électricité prépayée` },
  en: { WATER: 'Water', ELEC: 'Electricity', PREPAID: 'Prepaid electricity' },
})

const placeWords = inBoth<Record<string, string>>({
  fr: { SN: fr`au Sénégal`, ML: 'au Mali', CI: fr`en Côte d'Ivoire`, CM: 'au Cameroun' },
  en: { SN: 'in Senegal', ML: 'in Mali', CI: 'in Côte d’Ivoire', CM: 'in Cameroon' },
})

/** The wallet, operator or biller of a service code, with its country: Wallet A · SN. */
export function providerWord(language: Language, serviceCode: string): string {
  const [provider = '', country = ''] = serviceCode.split('_')
  return `${nameWord(language, provider)} · ${country}`
}

/** The same for a sentence: Wallet A in Senegal. */
export function providerPlace(
  language: Language,
  { provider, country }: { provider: string; country: string },
): string {
  return `${nameWord(language, provider)} ${placeWords[language][country] ?? country}`
}

function nameWord(language: Language, provider: string): string {
  const operator = { fr: 'Opérateur', en: 'Operator' }[language]
  return (
    billers[language][provider] ??
    provider.replace(/^WALLET/, 'Wallet\u00a0').replace(/^OPERATOR/, `${operator}\u00a0`)
  )
}

/** A country, a wallet there, or a service of it: Mali, Wallet A · SN, Wallet A · SN · Payout. */
export function placeWord(language: Language, scope: string): string {
  const [provider = '', country, operation] = scope.split('_')
  if (country === undefined) return countryName(language, provider)
  const place = providerWord(language, scope)
  return operation === undefined ? place : `${place} · ${kindWord(language, operation as Kind)}`
}
