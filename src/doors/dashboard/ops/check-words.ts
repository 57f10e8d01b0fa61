import { fr, inBoth } from '#base/kit/texts.ts'
import type { CheckName } from '#operations/health/judge.ts'

/** Where each check leads; each has a runbook of its name in docs/runbooks. */
export const checkPlaces: Record<CheckName, string | null> = {
  maintenance: '/dashboard/ops/maintenance',
  processes: null,
  'orders-due': null,
  'webhooks-due': '/dashboard/ops/webhooks',
  'mails-due': '/dashboard/ops/mails?state=pending',
  'mail-server': '/dashboard/ops/mails?state=kept',
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
      todo: fr`Fermé pour maintenance. Rouvrir dès que possible : rien ne rouvre tout seul.`,
    },
    processes: {
      title: fr`Processus en marche`,
      todo: fr`Démarrer un processus qui répond et un qui exécute les tâches de fond.`,
    },
    'orders-due': {
      title: fr`Suivi des ordres`,
      todo: fr`Les tâches de fond sont en retard : vérifier le processus et la base de données.`,
    },
    'webhooks-due': {
      title: fr`Envoi des webhooks`,
      todo: fr`Le retard vient de nous, pas des marchands : vérifier le processus.`,
    },
    'mails-due': {
      title: fr`Envoi des e-mails`,
      todo: fr`Vérifier le serveur d'e-mail (SMTP_URL).`,
    },
    'mail-server': {
      title: fr`Serveur d'e-mail`,
      todo: fr`Aucun n'est configuré : rien n'est envoyé. Renseigner SMTP_URL, puis renvoyer.`,
    },
    'mails-failed': {
      title: fr`E-mails échoués`,
      todo: fr`Lire le problème de chacun, puis renvoyer.`,
    },
    parked: {
      title: fr`Transactions à décider`,
      todo: fr`Demander un relevé au prestataire, puis décider.`,
    },
    conflicts: {
      title: fr`Contradictions`,
      todo: fr`Lire ce que dit le prestataire, agir, puis clore.`,
    },
    suspense: {
      title: fr`Compte d'attente`,
      todo: fr`Renvoyer l'argent au payeur, ou l'attribuer.`,
    },
    approvals: {
      title: fr`Approbations en attente`,
      todo: fr`Une deuxième personne approuve ou refuse.`,
    },
    approvers: {
      title: fr`Personnes qui peuvent approuver`,
      todo: fr`Il en faut deux dont aucune n'a invité ni promu l'autre : nommez-en une.`,
    },
    proof: {
      title: fr`Preuve du grand livre`,
      todo: fr`Sur le serveur : passerelle verify. Expliquer toute rupture avant de déplacer de
        l'argent.`,
    },
    statements: {
      title: fr`Relevés des prestataires`,
      todo: fr`Demander le relevé des derniers jours au prestataire, puis l'importer.`,
    },
    backup: {
      title: fr`Sauvegarde de la base de données`,
      todo: fr`Mettre en place l'archivage, ou trouver ce qui le bloque ; puis lancer passerelle
        drill.`,
    },
  },
  en: {
    maintenance: {
      title: 'Payments open',
      todo: 'Closed for maintenance. Reopen as soon as possible: nothing reopens by itself.',
    },
    processes: {
      title: 'Running processes',
      todo: 'Start one process that serves requests and one that does the background work.',
    },
    'orders-due': {
      title: 'Order follow-up',
      todo: 'Background work is late: check the process and the database.',
    },
    'webhooks-due': {
      title: 'Webhook delivery',
      todo: 'The delay is on our side, not the merchants’: check the process.',
    },
    'mails-due': { title: 'Email delivery', todo: 'Check the mail server (SMTP_URL).' },
    'mail-server': {
      title: 'Mail server',
      todo: 'None is configured, so nothing is sent. Set SMTP_URL, then resend what was kept.',
    },
    'mails-failed': {
      title: 'Failed emails',
      todo: 'Read the problem of each, then send it again.',
    },
    parked: {
      title: 'To decide',
      todo: 'Ask the provider for a statement, then decide.',
    },
    conflicts: {
      title: 'Conflicts',
      todo: 'Read what the provider says, act, then close it.',
    },
    suspense: {
      title: 'Suspense',
      todo: 'Send the money back to the payer, or assign it.',
    },
    approvals: {
      title: 'Pending approvals',
      todo: 'A second person approves or refuses.',
    },
    approvers: {
      title: 'People who may approve',
      todo: 'It takes two, neither of whom invited or promoted the other: appoint one.',
    },
    proof: {
      title: 'Proof of the ledger',
      todo: 'On the server: passerelle verify. Explain any break before any other money moves.',
    },
    statements: {
      title: 'Provider statements',
      todo: 'Ask the provider for a statement of the last few days, then import it.',
    },
    backup: {
      title: 'Database backup',
      todo: 'Set up archiving, or find what blocks it; then run passerelle drill.',
    },
  },
})
