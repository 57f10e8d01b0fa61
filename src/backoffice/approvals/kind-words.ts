import type { Language } from '#base/kit/language.ts'
import type { ApprovalKind } from './approval.ts'

/** What is proposed, as people read it. */
export const kindWords: Record<Language, Record<ApprovalKind, string>> = {
  fr: {
    fund: 'Alimenter un compte',
    withdraw: 'Retirer d’un compte',
    adjust: 'Corriger un solde',
    resolve: 'Terminer une transaction',
    send_back: 'Renvoyer au payeur',
    statement: 'Terminer par un relevé',
    suspend: 'Passer en compte d’attente',
    statement_withdrawal: 'Retirer un relevé',
    grant: 'Donner le droit d’approuver',
    forget: 'Oublier un numéro',
  },
  en: {
    fund: 'Fund an account',
    withdraw: 'Withdraw from an account',
    adjust: 'Correct a balance',
    resolve: 'End a transaction',
    send_back: 'Send back to the payer',
    statement: 'End by a statement',
    suspend: 'Put in suspense',
    statement_withdrawal: 'Withdraw a statement',
    grant: 'Give the right to approve',
    forget: 'Forget a number',
  },
}
