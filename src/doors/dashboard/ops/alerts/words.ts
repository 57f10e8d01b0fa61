import { en, fr, inBoth } from '#base/kit/texts.ts'

/** The words of the page of alerts. */
export const alertWords = inBoth({
  fr: {
    title: 'Alertes',
    lead: fr`Ce que Prometheus signale en ce moment. Alertmanager prévient les personnes
      d'astreinte par e-mail et par webhook ; une alerte prise en charge ne les dérange plus
      avant l'heure indiquée.`,
    off: fr`ALERTMANAGER_URL n'est pas défini : seules les personnes qui regardent la page
      d'état apprennent une panne.`,
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
    inhibited: fr`conséquence d'une autre`,
    guide: 'Guide',
    acknowledge: {
      hour: fr`Prendre en charge 1\u00a0h`,
      morning: fr`Jusqu'à 7\u00a0h (UTC)`,
    },
    acknowledged: fr`Prise en charge : silence jusque-là.`,
    over: fr`Cette alerte est terminée.`,
    failed: (why: string) => fr`Alertmanager a refusé (${why}).`,
    test: fr`Envoyer une alerte de test`,
    testHint: fr`Elle doit arriver par chaque canal dans la minute, à toute heure.`,
    tested: fr`Alertmanager a accepté l'alerte de test. Vérifiez qu'elle arrive.`,
  },
  en: {
    title: 'Alerts',
    lead: en`What Prometheus reports right now. Alertmanager notifies the people on call by email
        and webhook; an acknowledged alert stays silent until the time given.`,
    off: en`ALERTMANAGER_URL is not set: nobody is notified of an outage, except those who look at
        the health page.`,
    how: 'Runbook',
    silent: (why: string) => `Alertmanager does not answer (${why}): nobody is notified.`,
    none: 'No alerts.',
    alert: 'Alert',
    severity: 'Severity',
    severities: { critical: 'Act now', warning: 'Watch' },
    since: 'Since',
    taken: 'Acknowledged',
    takenBy: 'by',
    until: 'until',
    inhibited: 'caused by another',
    guide: 'Guide',
    acknowledge: { hour: 'Acknowledge for 1\u00a0h', morning: 'Until 7:00 (UTC)' },
    acknowledged: 'Acknowledged: silent until then.',
    over: 'This alert is over.',
    failed: (why: string) => `Alertmanager refused (${why}).`,
    test: 'Send a test alert',
    testHint: 'It must arrive through every channel within a minute, at any hour.',
    tested: 'Alertmanager accepted the test alert. Check that it arrives.',
  },
})
