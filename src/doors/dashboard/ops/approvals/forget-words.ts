import { fr, inBoth } from '#base/kit/texts.ts'

/** What a proposal to forget a number shows. */
export const forgetWords = inBoth({
  fr: {
    pseudonym: fr`Ce qui remplace le numéro`,
    places: fr`Enregistrements`,
    approve: fr`Vérifiez la demande de la personne à qui est ce numéro avant d'approuver. On ne peut
      pas revenir en arrière : ses paiements ne pourront plus être remboursés.`,
  },
  en: {
    pseudonym: 'What stands for the number',
    places: 'Records',
    approve:
      'Check the request of the person whose number it is before you approve. It cannot be ' +
      'undone: their payments can no longer be refunded.',
  },
})
