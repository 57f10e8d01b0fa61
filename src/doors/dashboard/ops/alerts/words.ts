import { fr, inBoth } from '#base/kit/texts.ts'

/** The words of the page of alerts. */
export const alertWords = inBoth({
  fr: {
    title: 'Alertes',
    lead: fr`Ce que Prometheus signale en ce moment. Alertmanager prévient les personnes d'astreinte
      par e-mail et par webhook ; une alerte prise en charge ne les dérange plus jusqu'à l'heure
      dite.`,
    off: fr`ALERTMANAGER_URL n'est pas réglé : personne n'est prévenu d'une panne, sauf qui regarde
      la page de l'état.`,
    how: fr`Marche à suivre`,
    silent: (why: string) => fr`Alertmanager ne répond pas (${why}) : personne n'est prévenu.`,
    none: fr`Aucune alerte.`,
    alert: 'Alerte',
    severity: fr`Gravité`,
    severities: { critical: 'Agir maintenant', warning: fr`À surveiller` },
    since: 'Depuis',
    taken: fr`Prise en charge`,
    takenBy: fr`par`,
    until: fr`jusqu'à`,
    inhibited: fr`suit d'une autre`,
    guide: 'Guide',
    acknowledge: {
      hour: fr`Prendre en charge 1\u00a0h`,
      morning: fr`Jusqu'à 7\u00a0h (UTC)`,
    },
    acknowledged: fr`Prise en charge : personne n'est dérangé jusque-là.`,
    over: fr`Cette alerte est terminée.`,
    failed: (why: string) => fr`Alertmanager a refusé (${why}).`,
    test: fr`Envoyer une alerte d'essai`,
    testHint: fr`Elle doit arriver par chaque chemin dans la minute, à toute heure.`,
    tested: fr`Alertmanager a pris l'alerte d'essai. Vérifiez qu'elle arrive.`,
  },
  en: {
    title: 'Alerts',
    lead:
      'What Prometheus reports at this moment. Alertmanager tells those on call by email and ' +
      'webhook; an alert that somebody has acknowledged disturbs nobody until the time given.',
    off:
      'ALERTMANAGER_URL is not set: nobody is told of an outage but those who look at the page ' +
      'of health.',
    how: 'Runbook',
    silent: (why: string) => `Alertmanager does not answer (${why}): nobody is told.`,
    none: 'No alert.',
    alert: 'Alert',
    severity: 'Severity',
    severities: { critical: 'Act now', warning: 'Watch' },
    since: 'Since',
    taken: 'Acknowledged',
    takenBy: 'by',
    until: 'until',
    inhibited: 'follows from another',
    guide: 'Guide',
    acknowledge: { hour: 'Acknowledge for 1\u00a0h', morning: 'Until 7:00 (UTC)' },
    acknowledged: 'Acknowledged: nobody is disturbed until then.',
    over: 'This alert is over.',
    failed: (why: string) => `Alertmanager refused (${why}).`,
    test: 'Send a test alert',
    testHint: 'It must arrive by each way within a minute, at any hour.',
    tested: 'Alertmanager took the test alert. See that it arrives.',
  },
})
