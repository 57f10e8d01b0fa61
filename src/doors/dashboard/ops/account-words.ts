import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { providerWord } from '../frame/kinds.ts'

const words = inBoth<Record<string, string>>({
  fr: {
    available: 'Marchands, disponible',
    held: 'Marchands, en attente',
    fees: 'Nos frais',
    provider_fees: fr`Frais des prestataires`,
    settlement: fr`Règlement avec la banque`,
    suspense: fr`Compte d'attente`,
    exchange: 'Change',
    provider: 'Prestataire',
  },
  en: {
    available: 'Merchants, available',
    held: 'Merchants, held',
    fees: 'Our fees',
    provider_fees: 'Provider fees',
    settlement: 'Settlement with the bank',
    suspense: 'Suspense',
    exchange: 'Foreign exchange',
    provider: 'Provider',
  },
})

/** An account of the ledger in words: Provider Wallet A · SN. */
export function accountWord(language: Language, account: string): string {
  const [kind = '', ...names] = account.split(':')
  const name = names.length === 2 ? [providerWord(language, names.join('_'))] : names
  return [words[language][kind] ?? kind, ...name].join(' ')
}
