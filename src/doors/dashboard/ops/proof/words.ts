import { fr, inBoth, plural } from '#base/kit/texts.ts'

/** The words of the screens of proofs. */
export const words = inBoth({
  fr: {
    title: fr`Preuves du grand livre`,
    ledger: fr`Balance générale`,
    one: fr`Preuve du grand livre`,
    about: fr`Une preuve recalcule chaque solde et chaque empreinte depuis la première écriture, et
      compare transactions, factures, liens, notifications et journal avec elles. Elle ne
      change rien.`,
    run: fr`Une preuve est faite chaque nuit ; sur le serveur, à tout moment : `,
    none: fr`Aucune preuve n'a encore été faite.`,
    when: fr`Terminée`,
    by: 'Par',
    result: fr`Résultat`,
    entries: fr`Écritures`,
    postings: fr`Mouvements`,
    accounts: 'Comptes',
    anchors: 'Ancres',
    took: fr`Durée`,
    seconds: (text: string) => fr`${text} s`,
    holds: fr`Tout est juste`,
    nothing: fr`Le grand livre est vide : rien n'a été prouvé`,
    broken: (count: number) => `${count} ${plural.fr(count, 'rupture')}`,
    breaks: 'Ruptures',
    what: fr`Ce qui ne va pas`,
    promise: fr`Règle`,
    client: 'Marchand',
    todo: fr`Gardez la base de données telle qu'elle est, arrêtez les versements et appelez les
      personnes qui ont accès au serveur : des données ont été changées en dehors de la
      passerelle.`,
  },
  en: {
    title: 'Proofs of the ledger',
    ledger: 'Trial balance',
    one: 'Proof of the ledger',
    about:
      'A proof recomputes every balance and every hash from the first entry on, and compares ' +
      'transactions, bills, links, events and the audit log with them. It changes nothing.',
    run: 'A proof is made each night; on the server, at any time: ',
    none: 'No proof has been made yet.',
    when: 'Ended',
    by: 'By',
    result: 'Result',
    entries: 'Entries',
    postings: 'Postings',
    accounts: 'Accounts',
    anchors: 'Anchors',
    took: 'Took',
    seconds: (text: string) => `${text} s`,
    holds: 'Everything holds',
    nothing: 'The ledger is empty: nothing was proved',
    broken: (count: number) => `${count} ${plural.en(count, 'break')}`,
    breaks: 'Breaks',
    what: 'What is wrong',
    promise: 'Promise',
    client: 'Merchant',
    todo:
      'Keep the database as it is, stop payouts and call the people who have access to the ' +
      'server: data was changed outside of the gateway.',
  },
})
