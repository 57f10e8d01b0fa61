import { fr } from '../../../pages/typography.ts'
import { inBoth } from '../../frame/words.ts'

/** The words of the screens of proofs. */
export const words = inBoth({
  fr: {
    title: fr`Preuves du grand livre`,
    one: fr`Preuve du grand livre`,
    about: fr`Une preuve recalcule chaque solde et chaque empreinte depuis la première écriture, et
      compare transactions, factures, liens, avis et journal avec elles. Elle ne change rien.`,
    run: fr`Vérifier maintenant`,
    underWay: fr`Une preuve est en cours.`,
    follow: 'La suivre',
    none: fr`Aucune preuve n'a encore été faite.`,
    when: fr`Demandée`,
    by: 'Par',
    state: fr`Résultat`,
    entries: fr`Écritures`,
    postings: fr`Mouvements`,
    accounts: 'Comptes',
    anchors: 'Ancres',
    took: fr`Durée`,
    ended: fr`Terminée`,
    seconds: (text: string) => fr`${text} s`,
    states: {
      waiting: 'En attente',
      running: 'En cours',
      failed: fr`Sans résultat`,
    },
    holds: fr`Tout est juste`,
    nothing: fr`Le grand livre est vide : rien n'a été prouvé`,
    broken: (count: number) => (count === 1 ? '1 rupture' : `${count} ruptures`),
    breaks: 'Ruptures',
    what: fr`Ce qui ne va pas`,
    promise: fr`Règle`,
    client: 'Marchand',
    todo: fr`Gardez la base de données telle qu'elle est, arrêtez les versements et appelez les
      personnes qui ont accès au serveur : des données ont été changées en dehors de la
      passerelle.`,
    failedText: fr`La preuve n'a pas pu être menée à sa fin. Lancez-la à nouveau.`,
    progress: fr`Avancement`,
    read: (done: string, total: string) => fr`${done} écritures lues sur ${total}`,
    refresh: 'Actualiser',
    leave: fr`Vous pouvez quitter cette page : la preuve continue.`,
  },
  en: {
    title: 'Proofs of the ledger',
    one: 'Proof of the ledger',
    about:
      'A proof recomputes every balance and every hash from the first entry on, and compares ' +
      'transactions, bills, links, events and the audit log with them. It changes nothing.',
    run: 'Prove it now',
    underWay: 'A proof is under way.',
    follow: 'Follow it',
    none: 'No proof has been made yet.',
    when: 'Asked for',
    by: 'By',
    state: 'Result',
    entries: 'Entries',
    postings: 'Postings',
    accounts: 'Accounts',
    anchors: 'Anchors',
    took: 'Took',
    ended: 'Ended',
    seconds: (text: string) => `${text} s`,
    states: {
      waiting: 'Waiting',
      running: 'Under way',
      failed: 'No result',
    },
    holds: 'Everything holds',
    nothing: 'The ledger is empty: nothing was proved',
    broken: (count: number) => (count === 1 ? '1 break' : `${count} breaks`),
    breaks: 'Breaks',
    what: 'What is wrong',
    promise: 'Promise',
    client: 'Client',
    todo:
      'Keep the database as it is, stop payouts and call the people who have access to the ' +
      'server: data was changed outside of the gateway.',
    failedText: 'The proof could not be carried to its end. Run it again.',
    progress: 'Progress',
    read: (done: string, total: string) => `${done} entries read of ${total}`,
    refresh: 'Refresh',
    leave: 'You can leave this page: the proof goes on.',
  },
})
