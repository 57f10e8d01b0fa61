import type { Language } from '#base/kit/language.ts'
import type { CaseKind, CaseState, Closing } from './case.ts'

interface CaseWords {
  kinds: Record<CaseKind, string>
  states: Record<CaseState, string>
  closings: Record<Closing, string>
}

/** What differences, their states and their ends are called, on screens and in files. */
export const caseWords: Record<Language, CaseWords> = {
  fr: {
    kinds: {
      ours_only: 'Chez nous seulement',
      theirs_only: 'Chez eux seulement',
      amount: 'Autre montant',
      status: 'Autre résultat',
      fee: 'Autres frais',
      day: 'Autre jour',
      duplicate: 'En double',
    },
    states: { open: 'Ouvert', waiting: 'Attend une approbation', closed: 'Fermé' },
    closings: {
      resolved: 'Transaction terminée selon le relevé',
      sent_back: 'Argent renvoyé au payeur',
      adjusted: 'Solde corrigé',
      ignored: 'Laissé tel quel',
      explained: 'Expliqué par un relevé suivant',
      suspended: 'Argent mis en compte d’attente',
      withdrawn: 'Relevé retiré',
    },
  },
  en: {
    kinds: {
      ours_only: 'Only ours',
      theirs_only: 'Only theirs',
      amount: 'Other amount',
      status: 'Other result',
      fee: 'Other fee',
      day: 'Other day',
      duplicate: 'Twice',
    },
    states: { open: 'Open', waiting: 'Waits for approval', closed: 'Closed' },
    closings: {
      resolved: 'Transaction ended as the statement says',
      sent_back: 'Money sent back to the payer',
      adjusted: 'Balance corrected',
      ignored: 'Left as it is',
      explained: 'Explained by a later statement',
      suspended: 'Money put in suspense',
      withdrawn: 'Statement withdrawn',
    },
  },
}
