import type { Age, Case, CaseState } from '#backoffice/recon/cases/case.ts'
import { caseWords } from '#backoffice/recon/cases/words.ts'
import type { StatementState } from '#backoffice/recon/import/statement.ts'
import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Badge, label } from '#doors/dashboard/frame/components.ts'
import type { LineKind, LineStatus } from '#formats/statements/statement.ts'

/** What things of reconciliation are called on every screen. */
export const reconWords = inBoth({
  fr: {
    title: 'Rapprochement',
    ...caseWords.fr,
    ages: {
      day: '1 jour au plus',
      three_days: '3 jours au plus',
      week: '7 jours au plus',
      month: '30 jours au plus',
      older: 'Plus de 30 jours',
    } satisfies Record<Age['age'], string>,
    lineKinds: {
      collect: 'Encaissement',
      disburse: 'Versement',
      reverse: 'Annulation',
      top_up: fr`Crédit téléphonique`,
      bill: 'Facture',
      fee: 'Frais',
      transfer: 'Virement avec notre banque',
      other: 'Autre',
    } satisfies Record<LineKind, string>,
    results: {
      succeeded: fr`Réussi`,
      failed: fr`Échoué`,
      pending: 'En attente',
      reversed: fr`Annulé`,
    } satisfies Record<LineStatus, string>,
    statementStates: {
      reading: 'Lecture en cours',
      matching: 'Comparaison en cours',
      read: fr`Terminé`,
      withdrawing: 'Retrait en cours',
      withdrawn: fr`Retiré`,
    } satisfies Record<StatementState, string>,
    provider: 'Prestataire',
    file: 'Fichier',
    line: 'Ligne',
    amount: 'Montant',
    fee: 'Frais',
    result: fr`Résultat`,
    when: 'Moment',
    reference: fr`Référence du prestataire`,
    ourReference: fr`Notre référence`,
    references: fr`Leur référence et la nôtre`,
    number: fr`Numéro`,
    kind: fr`Opération`,
    difference: fr`Écart`,
    state: fr`État`,
    person: 'Suivi par',
    nobody: 'Personne',
    opened: 'Ouvert le',
    theirs: 'Selon le relevé',
    ours: 'Chez nous',
    transaction: 'Transaction',
    all: 'Tous',
    none: 'Aucun',
  },
  en: {
    title: 'Reconciliation',
    ...caseWords.en,
    ages: {
      day: 'Up to 1 day',
      three_days: 'Up to 3 days',
      week: 'Up to 7 days',
      month: 'Up to 30 days',
      older: 'Over 30 days',
    } satisfies Record<Age['age'], string>,
    lineKinds: {
      collect: 'Collection',
      disburse: 'Payout',
      reverse: 'Reversal',
      top_up: 'Airtime',
      bill: 'Bill',
      fee: 'Fee',
      transfer: 'Transfer with our bank',
      other: 'Other',
    } satisfies Record<LineKind, string>,
    results: {
      succeeded: 'Succeeded',
      failed: 'Failed',
      pending: 'Pending',
      reversed: 'Reversed',
    } satisfies Record<LineStatus, string>,
    statementStates: {
      reading: 'Being read',
      matching: 'Being compared',
      read: 'Done',
      withdrawing: 'Being withdrawn',
      withdrawn: 'Withdrawn',
    } satisfies Record<StatementState, string>,
    provider: 'Provider',
    file: 'File',
    line: 'Line',
    amount: 'Amount',
    fee: 'Fee',
    result: 'Result',
    when: 'Moment',
    reference: 'Provider’s reference',
    ourReference: 'Our reference',
    references: 'Their reference and ours',
    number: 'Number',
    kind: 'Operation',
    difference: 'Difference',
    state: 'State',
    person: 'Followed by',
    nobody: 'Nobody',
    opened: 'Opened',
    theirs: 'By the statement',
    ours: 'Ours',
    transaction: 'Transaction',
    all: 'All',
    none: 'None',
  },
})

const looks: Record<CaseState, Badge> = {
  open: ['bad', 'exclamation'],
  waiting: ['calm', 'clock'],
  closed: ['good', 'check'],
}

/** The state of a difference, with its shape. */
export function caseState(language: Language, { state }: Pick<Case, 'state'>): Html {
  return label(looks[state], reconWords[language].states[state])
}

/** What a provider says of an order, as a word; a word that is none of ours stays as it is. */
export function resultWord(language: Language, result: string): string {
  const words: Record<string, string> = reconWords[language].results
  return words[result] ?? result
}
