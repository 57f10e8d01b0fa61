import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isTokenMissing, type Transaction } from '#money/transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import { statusWord } from '../frame/components.ts'

const words = inBoth({
  fr: {
    same: fr`Le prestataire n'a pas encore de résultat. Nous continuons à lui demander.`,
    ended: (state: string) => fr`Le prestataire a répondu. La transaction est terminée : ${state}.`,
  },
  en: {
    same: 'The provider has no result yet. We keep asking.',
    ended: (state: string) => `The provider answered. The transaction has ended: ${state}.`,
  },
})

const isAsked = (one: Transaction) => one.completedAt === null || isTokenMissing(one)

/** Asks the provider of a transaction now; returns what came of it, as a sentence. */
export async function askAgain(
  transactions: DashboardContext['transactions'],
  found: Transaction,
  language: Language,
): Promise<string> {
  // It may have ended since the page was shown: then there is nothing to ask.
  const asked = isAsked(found) ? await transactions.requery(found) : found
  const { same, ended } = words[language]
  return isAsked(asked) ? same : ended(statusWord(language, asked.status))
}
