import { fr, inBoth } from '#base/kit/texts.ts'
import type { CheckName } from '#operations/health/judge.ts'

/** Where each check leads; each has a runbook of its name in docs/runbooks. */
export const checkPlaces: Record<CheckName, string | null> = {
  maintenance: '/dashboard/ops/maintenance',
  processes: null,
  'orders-due': null,
  'webhooks-due': '/dashboard/ops/webhooks',
  'mails-due': '/dashboard/ops/mails?state=pending',
  'mails-failed': '/dashboard/ops/mails?state=failed',
  parked: '/dashboard/ops/parked',
  conflicts: '/dashboard/ops/parked',
  suspense: '/dashboard/ops/suspense',
  approvals: '/dashboard/ops/approvals',
  approvers: '/dashboard/ops/users',
  proof: '/dashboard/ops/proof',
  statements: null,
  backup: null,
}

type Words = Record<CheckName, { title: string; todo: string }>

/** What each check is called, and what to do when it is not good. */
export const checkWords = inBoth<Words>({
  fr: {
    maintenance: {
      title: fr`Ouverture des paiements`,
      todo: fr`C'est fermé pour maintenance. Rouvrir dès que possible : rien ne rouvre tout seul.`,
    },
    processes: {
      title: fr`Processus en marche`,
      todo: fr`Démarrer une passerelle qui sert et une qui fait les tâches de fond.`,
    },
    'orders-due': {
      title: fr`Suivi des ordres`,
      todo: fr`Les tâches de fond sont en retard : regarder le processus et la base de données.`,
    },
    'webhooks-due': {
      title: fr`Envoi des webhooks`,
      todo: fr`L'envoi est en retard chez nous, pas chez les marchands : regarder le processus.`,
    },
    'mails-due': {
      title: fr`Envoi des e-mails`,
      todo: fr`Regarder le serveur d'e-mail (SMTP_URL).`,
    },
    'mails-failed': {
      title: fr`E-mails échoués`,
      todo: fr`Lire le problème de chacun, puis renvoyer.`,
    },
    parked: {
      title: fr`Transactions sans réponse possible`,
      todo: fr`Demander un relevé au prestataire, puis décider.`,
    },
    conflicts: {
      title: fr`Contradictions`,
      todo: fr`Lire ce que dit le prestataire, agir, puis clore.`,
    },
    suspense: {
      title: fr`Argent non attribué`,
      todo: fr`Rendre au payeur, ou attribuer.`,
    },
    approvals: {
      title: fr`Décisions en attente`,
      todo: fr`Une deuxième personne approuve ou refuse.`,
    },
    approvers: {
      title: fr`Personnes qui peuvent approuver`,
      todo: fr`Il en faut deux dont aucune n'a invité ni promu l'autre : en nommer une au serveur.`,
    },
    proof: {
      title: fr`Preuve du grand livre`,
      todo: fr`Prouver maintenant ; une rupture s'explique avant tout autre mouvement d'argent.`,
    },
    statements: {
      title: fr`Relevés des prestataires`,
      todo: fr`Demander le relevé des derniers jours au prestataire, puis l'importer.`,
    },
    backup: {
      title: fr`Sauvegarde de la base de données`,
      todo: fr`Mettre l'archive en place, ou voir ce qui l'arrête ; puis lancer passerelle drill.`,
    },
  },
  en: {
    maintenance: {
      title: 'Payments open',
      todo: 'Closed for maintenance. Open again as soon as possible: nothing opens by itself.',
    },
    processes: {
      title: 'Running processes',
      todo: 'Start a gateway that serves, and one that does the background work.',
    },
    'orders-due': {
      title: 'Following up orders',
      todo: 'The background work is late: look at its process and at the database.',
    },
    'webhooks-due': {
      title: 'Sending webhooks',
      todo: 'Sending is late here, not at the merchants: look at the process.',
    },
    'mails-due': { title: 'Sending emails', todo: 'Look at the mail server (SMTP_URL).' },
    'mails-failed': {
      title: 'Failed emails',
      todo: 'Read the problem of each, then send it again.',
    },
    parked: {
      title: 'Transactions that cannot be asked about',
      todo: 'Ask the provider for a statement, then decide.',
    },
    conflicts: {
      title: 'Contradictions',
      todo: 'Read what the provider says, act, then close it.',
    },
    suspense: {
      title: 'Money that belongs to nobody yet',
      todo: 'Send it back to the payer, or assign it.',
    },
    approvals: {
      title: 'Decisions waiting',
      todo: 'A second person approves or refuses.',
    },
    approvers: {
      title: 'People who may approve',
      todo: 'It takes two, neither of whom let the other in: appoint one on the server.',
    },
    proof: {
      title: 'Proof of the ledger',
      todo: 'Prove it now; a break is explained before any other money moves.',
    },
    statements: {
      title: 'Statements of providers',
      todo: 'Ask the provider for the statement of the last days, then import it.',
    },
    backup: {
      title: 'Backup of the database',
      todo: 'Set the archive up, or see what stops it; then run passerelle drill.',
    },
  },
})
