import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { Conflict } from '#money/transactions/conflict-store.ts'
import type { OpenRow } from '#money/transactions/timeline-store.ts'

/** Why something waits for a person, and what that person does. */
interface Advice {
  why: string
  todo: string
}

/** Of transactions that asking does not end, or whose code it does not tell. */
export const causeWords = inBoth<Record<OpenRow['cause'], Advice>>({
  fr: {
    other_amount: {
      why: fr`Le prestataire annonce un autre montant que celui demandé.`,
      todo: fr`Vérifiez dans les comptes du prestataire, puis terminez-la comme échouée.
        L'argent reçu est en compte d'attente : renvoyez-le ensuite.`,
    },
    cannot_ask: {
      why: fr`Le prestataire ne peut ni être interrogé, ni recevoir l'ordre une deuxième fois.`,
      todo: fr`Cherchez l'ordre dans les comptes du prestataire, puis terminez-la comme il y est.`,
    },
    not_ended: {
      why: fr`Le prestataire ne donne pas de résultat final depuis plus d'une heure.`,
      todo: fr`Demandez-lui encore une fois. S'il ne sait rien, cherchez l'ordre dans ses
        comptes.`,
    },
    no_code: {
      why: fr`La recharge est payée, mais le code de recharge manque encore.`,
      todo: fr`Demandez-le une fois encore. Si le prestataire le montre dans ses comptes,
        ajoutez-le : passerelle transaction resolve ID --as success --token -`,
    },
  },
  en: {
    other_amount: {
      why: 'The provider reports a different amount from the one ordered.',
      todo: en`Check the provider’s own records, then end it as failed. The money received is in
          suspense: send it back afterwards.`,
    },
    cannot_ask: {
      why: 'The provider can neither be asked nor be sent the order again.',
      todo: 'Look for the order in the provider’s own records, then end it as it stands there.',
    },
    not_ended: {
      why: 'The provider has given no final result for more than an hour.',
      todo: 'Ask once more. If the provider knows nothing, look for the order in its own records.',
    },
    no_code: {
      why: 'The top-up is paid, but its recharge code is still missing.',
      todo:
        'Ask for it once more. If the provider’s own records show it, add it: ' +
        'passerelle transaction resolve ID --as success --token -',
    },
  },
})

/** Of facts that contradict what was decided. */
export const conflictWords = inBoth<Record<Conflict['kind'], Advice & { name: string }>>({
  fr: {
    late_success: {
      name: fr`Payée trop tard`,
      why: fr`Le client a payé après la fin de la transaction, ou une deuxième fois.`,
      todo: fr`Renvoyez l'argent au client : la contradiction se ferme alors automatiquement.`,
    },
    contradiction: {
      name: fr`Réponses contradictoires`,
      why: fr`Le prestataire dit maintenant le contraire de ce qu'il avait confirmé.`,
      todo: fr`Demandez au prestataire laquelle est vraie. Corrigez le solde s'il le faut, puis
        fermez la contradiction.`,
    },
    wrong_amount: {
      name: fr`Montant différent`,
      why: fr`Le prestataire annonce un autre montant que celui demandé.`,
      todo: fr`Terminez la transaction comme échouée et renvoyez l'argent, puis fermez la
        contradiction.`,
    },
    unusable_reference: {
      name: fr`Référence inutilisable`,
      why: fr`La transaction est payée, mais la référence du prestataire est trop longue pour
        être enregistrée.`,
      todo: fr`Un remboursement ne passera pas : demandez au prestataire de le faire, avec notre
        identifiant, puis fermez la contradiction.`,
    },
  },
  en: {
    late_success: {
      name: 'Paid too late',
      why: 'The customer paid after the transaction had ended, or a second time.',
      todo: 'Send the money back to the customer: the conflict then closes automatically.',
    },
    contradiction: {
      name: 'Contradictory answers',
      why: 'The provider now says the opposite of what it had confirmed.',
      todo:
        'Ask the provider which one is true. Correct the balance if need be, ' +
        'then close the conflict.',
    },
    wrong_amount: {
      name: 'Different amount',
      why: 'The provider reports a different amount from the one ordered.',
      todo: 'End the transaction as failed and send the money back, then close the conflict.',
    },
    unusable_reference: {
      name: 'Unusable reference',
      why: 'The transaction is paid, but the provider’s reference is too long to store.',
      todo: en`A refund will not go through: ask the provider to make it, using our id, then close
          the conflict.`,
    },
  },
})

/** Where money that moves by hand is proposed. */
export function proposalHref(kind: 'resolve' | 'send_back', transactionId: string): string {
  return `/dashboard/ops/approvals/new?kind=${kind}&transaction=${transactionId}`
}
