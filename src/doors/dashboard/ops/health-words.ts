import { fr, inBoth } from '#base/kit/texts.ts'

/** The words of the page of health. */
export const healthWords = inBoth({
  fr: {
    title: fr`État de la passerelle`,
    gateway: 'La passerelle',
    providers: 'Les prestataires',
    merchants: 'Les marchands',
    processes: 'Processus',
    levels: { good: 'Normal', watch: fr`À surveiller`, act: 'Agir maintenant' },
    troubles: (count: string) =>
      count === '0' ? fr`rien à signaler` : count === '1' ? fr`1 point` : fr`${count} points`,
    fine: (count: number) =>
      count === 1 ? fr`1 prestataire va bien` : fr`${count} prestataires vont bien`,
    unconfigured: (count: number) =>
      count === 1
        ? fr`1 prestataire n'est pas configuré`
        : fr`${count} prestataires ne sont pas
        configurés`,
    noProvider: fr`Aucun prestataire n'est configuré : aucun paiement ne passe.`,
    breaks: (count: number) => (count === 1 ? fr`1 rupture` : fr`${count} ruptures`),
    never: 'jamais',
    noBackup: fr`pas installée`,
    lastLog: fr`dernier WAL archivé :`,
    lastBackup: fr`sauvegarde restaurée :`,
    lastDrill: fr`dernier essai :`,
    drillHolds: fr`restauration complète`,
    drillProblems: (count: number) => (count === 1 ? fr`1 problème` : fr`${count} problèmes`),
    what: fr`Quoi`,
    state: fr`État`,
    value: 'Valeur',
    since: 'depuis',
    end: fr`fin prévue`,
    todo: fr`Que faire`,
    runbook: 'Guide',
    how: fr`Marche à suivre`,
    oldest: 'Le plus ancien',
    merchant: 'Marchand',
    waiting: fr`Webhooks en attente`,
    givenUp: fr`Abandonnés, 24 h`,
    backlog: fr`Les marchands dont l'adresse ne prend pas ses webhooks. Un webhook est essayé
      pendant des jours ; la page d'un marchand permet de l'envoyer à nouveau.`,
    delivered: fr`Tous les webhooks arrivent.`,
    process: 'Machine · pid',
    role: fr`Rôle`,
    roles: { all: 'tout', api: 'API', worker: fr`tâches de fond` },
    reported: fr`Dernier signe`,
    noProcess: fr`Aucun processus ne donne signe : la passerelle tourne-t-elle ?`,
  },
  en: {
    title: 'Health of the gateway',
    gateway: 'The gateway',
    providers: 'The providers',
    merchants: 'The merchants',
    processes: 'Processes',
    levels: { good: 'Normal', watch: 'Watch', act: 'Act now' },
    troubles: (count: string) =>
      count === '0' ? 'nothing to report' : count === '1' ? '1 point' : `${count} points`,
    fine: (count: number) => (count === 1 ? '1 provider is well' : `${count} providers are well`),
    unconfigured: (count: number) =>
      count === 1 ? '1 provider is not configured' : `${count} providers are not configured`,
    noProvider: 'No provider is configured: nothing can be paid.',
    breaks: (count: number) => (count === 1 ? '1 break' : `${count} breaks`),
    never: 'never',
    noBackup: 'not set up',
    lastLog: 'last WAL archived:',
    lastBackup: 'backup restored:',
    lastDrill: 'last drill:',
    drillHolds: 'restored in full',
    drillProblems: (count: number) => (count === 1 ? '1 problem' : `${count} problems`),
    what: 'What',
    state: 'State',
    value: 'Value',
    since: 'since',
    end: 'planned end',
    todo: 'What to do',
    runbook: 'Guide',
    how: 'Runbook',
    oldest: 'Oldest',
    merchant: 'Merchant',
    waiting: 'Webhooks waiting',
    givenUp: 'Given up, 24 h',
    backlog:
      'Merchants whose address does not take its webhooks. Each is tried for days; they can ' +
      'be sent again from the merchant’s page.',
    delivered: 'All webhooks arrive.',
    process: 'Machine · pid',
    role: 'Role',
    roles: { all: 'everything', api: 'API', worker: 'background work' },
    reported: 'Last sign',
    noProcess: 'No process reports: is the gateway running?',
  },
})
