import { en, fr, inBoth } from '#base/kit/texts.ts'

/** What a proposal to forget a number shows. */
export const forgetWords = inBoth({
  fr: {
    pseudonym: fr`Pseudonyme qui remplace le numéro`,
    places: fr`Enregistrements`,
    approve: fr`Vérifiez la demande du titulaire du numéro avant d'approuver. Cette action est
      définitive : ses paiements ne pourront plus être remboursés.`,
  },
  en: {
    pseudonym: 'Pseudonym that replaces the number',
    places: 'Records',
    approve: en`Check the request of the number’s owner before you approve. This cannot be undone:
        their payments can no longer be refunded.`,
  },
})
