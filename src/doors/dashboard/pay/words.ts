import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { PayKind } from './kinds.ts'

interface KindWords {
  name: string
  /** Under the title of its form. */
  lead: string
  service: string
  /** The field of whom it is for. */
  to: string
  toHint: string
}

export const kindWords = inBoth<Record<PayKind, KindWords>>({
  fr: {
    payout: {
      name: 'Versement',
      lead: fr`Envoyez de l'argent de votre solde vers le portefeuille d'une personne.`,
      service: 'Portefeuille',
      to: fr`Numéro du bénéficiaire`,
      toHint: fr`Par exemple 77 123 45 67`,
    },
    airtime: {
      name: fr`Crédit téléphonique`,
      lead: fr`Rechargez un téléphone au Sénégal.`,
      service: fr`Opérateur`,
      to: fr`Numéro à recharger`,
      toHint: fr`Par exemple 77 123 45 67`,
    },
    bill: {
      name: 'Facture',
      lead: fr`Payez une facture d'eau ou d'électricité. Nous vérifions d'abord le montant dû.`,
      service: 'Facture de',
      to: fr`Numéro de client`,
      toHint: fr`Il est écrit sur la facture.`,
    },
    meter: {
      name: fr`Compteur prépayé`,
      lead: fr`Achetez de l'électricité pour un compteur prépayé. Vous recevez le code à saisir
        sur le compteur.`,
      service: fr`Prestataire`,
      to: fr`Numéro du compteur`,
      toHint: fr`Il est écrit sur le compteur.`,
    },
  },
  en: {
    payout: {
      name: 'Payout',
      lead: en`Send money from your balance to somebody's wallet.`,
      service: 'Wallet',
      to: 'Recipient’s number',
      toHint: 'For example 77 123 45 67',
    },
    airtime: {
      name: 'Airtime',
      lead: 'Top up a phone in Senegal.',
      service: 'Operator',
      to: 'Number to top up',
      toHint: 'For example 77 123 45 67',
    },
    bill: {
      name: 'Bill',
      lead: 'Pay a water or electricity bill. We check the amount due first.',
      service: 'Bill for',
      to: 'Customer number',
      toHint: 'It is printed on the bill.',
    },
    meter: {
      name: 'Prepaid meter',
      lead: 'Buy electricity for a prepaid meter. You get the code to enter on the meter.',
      service: 'Supplier',
      to: 'Meter number',
      toHint: 'It is printed on the meter.',
    },
  },
})

export const payWords = inBoth({
  fr: {
    title: 'Payer',
    kinds: fr`Que voulez-vous payer ?`,
    balance: (amount: string) => fr`Solde disponible : ${amount}`,
    amount: 'Montant (F CFA)',
    between: (min: string, max: string) => fr`De ${min} à ${max}`,
    review: fr`Vérifier`,
    askBill: fr`Voir le montant dû`,
    none: fr`Aucun service de paiement n'est activé pour votre compte. Demandez à votre
      interlocuteur d'activer les versements, le crédit téléphonique ou les factures.`,
    notOffered: fr`Ce service n'est pas activé pour votre compte. Demandez à votre interlocuteur de
      l'activer.`,
    check: fr`Vérifiez avant de payer`,
    payer: 'Payeur',
    customer: 'Client',
    knownAs: fr`Nom (dans vos fichiers)`,
    address: 'Adresse',
    meterState: fr`État du compteur`,
    bill: fr`Référence de la facture`,
    dueOn: fr`À payer avant le`,
    sum: 'Montant',
    fee: 'Frais',
    total: fr`Débité de votre solde`,
    after: fr`Solde disponible après`,
    go: (amount: string) => fr`Payer ${amount}`,
    change: 'Modifier',
    otherBills: fr`Payer plutôt une autre facture`,
    before: fr`à payer avant le`,
    earlier: fr`Vous avez déjà payé la même somme à ce numéro :`,
    earlierEnd: fr`Si c'est le même paiement, ne payez pas une deuxième fois.`,
    sent: fr`Paiement envoyé. Cette page se met à jour automatiquement.`,
    done: fr`Paiement effectué.`,
    phone: (text: string) => fr`${text} n'est pas un numéro de téléphone.`,
    phoneCountry: (text: string, country: string) =>
      fr`${text} n'est pas un numéro de ce pays (${country}).`,
    account: fr`1 à 64 lettres et chiffres, sans espace.`,
    unknownAccount: fr`Numéro inconnu. Vérifiez-le.`,
    nothingDue: fr`Il ne reste rien à payer pour ce numéro.`,
    billGone: fr`Cette facture n'est plus due.`,
    down: fr`Ce service ne répond pas en ce moment. Rien n'a été payé : réessayez plus tard.`,
    closed: fr`Ce service est en maintenance. Rien n'a été payé : réessayez plus tard.`,
    poor: (needed: string, available: string) =>
      fr`Votre solde ne suffit pas : il faut ${needed} avec les frais, vous avez ${available}.`,
    nothingPaid: fr`Rien n'a été payé.`,
    priceChanged: fr`Le prix a changé depuis votre vérification. Rien n'a été payé : vérifiez à
      nouveau.`,
    unsure: fr`Nous ne savons pas si ce paiement est parti`,
    unsureText: fr`La réponse s'est perdue chez nous. Ne faites pas un nouveau paiement : appuyez
      ici. S'il est déjà parti vous le verrez, sinon il part, et une seule fois.`,
    lookAgain: fr`Vérifier ce paiement`,
  },
  en: {
    title: 'Pay',
    kinds: 'What do you want to pay?',
    balance: (amount: string) => `Available balance: ${amount}`,
    amount: 'Amount (F CFA)',
    between: (min: string, max: string) => `From ${min} to ${max}`,
    review: 'Review',
    askBill: 'See the amount due',
    none:
      'No payment service is enabled for your account. ' +
      'Ask your contact to enable payouts, airtime or bills.',
    notOffered: 'This service is not enabled for your account. Ask your contact to enable it.',
    check: 'Check before you pay',
    payer: 'Paid by',
    customer: 'Customer',
    knownAs: 'Name (in your files)',
    address: 'Address',
    meterState: 'Meter status',
    bill: 'Bill reference',
    dueOn: 'Due on',
    sum: 'Amount',
    fee: 'Fee',
    total: 'Debited from your balance',
    after: 'Available balance after',
    go: (amount: string) => `Pay ${amount}`,
    change: 'Change',
    otherBills: 'Pay another bill instead',
    before: 'due on',
    earlier: 'You have paid the same amount to this number before:',
    earlierEnd: 'If this is the same payment, do not pay again.',
    sent: 'Payment sent. This page updates automatically.',
    done: 'Paid.',
    phone: (text: string) => en`${text} is not a phone number.`,
    phoneCountry: (text: string, country: string) =>
      en`${text} is not a number in this country (${country}).`,
    account: '1 to 64 letters and digits, without spaces.',
    unknownAccount: 'Unknown number. Please check it.',
    nothingDue: 'There is nothing left to pay for this number.',
    billGone: 'This bill is no longer due.',
    down: 'This service is not responding right now. Nothing was paid: try again later.',
    closed: 'This service is under maintenance. Nothing was paid: try again later.',
    poor: (needed: string, available: string) =>
      en`Your balance is too low: you need ${needed} with the fee, and have ${available}.`,
    nothingPaid: 'Nothing was paid.',
    priceChanged: 'The price has changed since you checked. Nothing was paid: please check again.',
    unsure: 'We do not know whether this payment was sent',
    unsureText: en`The answer was lost on our side. Do not pay again: press here.
        If it was sent, you will see it; if not, it is sent now, and only once.`,
    lookAgain: 'Check this payment',
  },
})
