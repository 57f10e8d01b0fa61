import { en, fr, inBoth, plural } from '#base/kit/texts.ts'

/** The words of the screens of proofs. */
export const words = inBoth({
  fr: {
    title: fr`Preuves du grand livre`,
    ledger: fr`Balance générale`,
    one: fr`Preuve du grand livre`,
    about: fr`Une preuve recalcule chaque solde et chaque empreinte depuis la première écriture,
      et les compare aux transactions, factures, liens, événements et au journal d'audit. Elle
      ne change rien.`,
    run: fr`Une preuve a lieu chaque nuit ; sur le serveur, à tout moment : `,
    none: fr`Aucune preuve pour l'instant.`,
    when: fr`Terminée`,
    by: 'Par',
    result: fr`Résultat`,
    entries: fr`Écritures`,
    postings: fr`Mouvements`,
    accounts: 'Comptes',
    anchors: 'Ancres',
    took: fr`Durée`,
    seconds: (text: string) => fr`${text} s`,
    holds: fr`Aucune rupture`,
    nothing: fr`Le grand livre est vide : rien n'a été prouvé`,
    broken: (count: number) => `${count} ${plural.fr(count, 'rupture')}`,
    breaks: 'Ruptures',
    what: fr`Ce qui ne va pas`,
    promise: fr`Règle`,
    client: 'Marchand',
    todo: fr`Ne touchez pas à la base de données, arrêtez les versements et appelez les
      personnes qui ont accès au serveur : des données ont été modifiées en dehors de la
      passerelle.`,
  },
  en: {
    title: 'Proofs of the ledger',
    ledger: 'Trial balance',
    one: 'Proof of the ledger',
    about: en`A proof recomputes every balance and hash from the first entry on, and compares them
        with transactions, bills, links, events and the audit log. It changes nothing.`,
    run: 'A proof runs every night; on the server, at any time: ',
    none: 'No proof yet.',
    when: 'Ended',
    by: 'By',
    result: 'Result',
    entries: 'Entries',
    postings: 'Postings',
    accounts: 'Accounts',
    anchors: 'Anchors',
    took: 'Took',
    seconds: (text: string) => `${text} s`,
    holds: 'No breaks',
    nothing: 'The ledger is empty: nothing was proved',
    broken: (count: number) => `${count} ${plural.en(count, 'break')}`,
    breaks: 'Breaks',
    what: 'What is wrong',
    promise: 'Rule',
    client: 'Merchant',
    todo: en`Do not touch the database, stop payouts and call the people who have access to the
        server: data was changed outside the gateway.`,
  },
})
