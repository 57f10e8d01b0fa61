import { fr, inBoth } from '#base/kit/texts.ts'

/** What the screen of floats says. */
export const floatWords = inBoth({
  fr: {
    title: fr`Avoirs chez les prestataires`,
    lead: fr`L'argent que chaque prestataire garde pour nous et avec lequel il paie. Un paiement qui
      dépasse cet avoir est refusé avant d'être envoyé.`,
    none: fr`Rien n'est encore connu : les prestataires sont interrogés chaque minute.`,
    provider: 'Prestataire',
    state: fr`État`,
    balance: 'Avoir',
    source: fr`Selon`,
    at: fr`Connu le`,
    problem: fr`Problème`,
    warnBelow: fr`Avertir en dessous de`,
    alarmBelow: fr`Alerter en dessous de`,
    declined: fr`Dernier refus du prestataire`,
    history: fr`Les sept derniers jours`,
    figures: fr`Les chiffres`,
    noHistory: fr`Aucune valeur ces sept derniers jours.`,
    balanceNow: fr`Avoir d'après le prestataire, maintenant`,
    balanceHint: fr`Ce prestataire ne le dit pas lui-même. Vide : ne rien changer.`,
    save: 'Enregistrer',
    saved: fr`C'est enregistré.`,
    states: {
      fine: 'Suffisant',
      warning: 'Bas',
      alarm: 'Trop bas',
      old: 'Ancien',
      unknown: 'Inconnu',
    },
    sources: {
      told: 'le prestataire',
      counted: fr`un opérateur, puis le grand livre`,
      ledger: 'le grand livre',
    },
  },
  en: {
    title: 'Float at providers',
    lead:
      'The money that each provider holds for us and pays from. A payout above it is refused ' +
      'before it is sent.',
    none: 'Nothing is known yet: providers are asked every minute.',
    provider: 'Provider',
    state: 'State',
    balance: 'Float',
    source: 'According to',
    at: 'Known since',
    problem: 'Problem',
    warnBelow: 'Warn below',
    alarmBelow: 'Alarm below',
    declined: 'Last declined by the provider',
    history: 'The last seven days',
    figures: 'The figures',
    noHistory: 'No value in the last seven days.',
    balanceNow: 'Float by the records of the provider, now',
    balanceHint: 'This provider does not tell it by itself. Empty: leave it as it is.',
    save: 'Save',
    saved: 'It is saved.',
    states: { fine: 'Enough', warning: 'Low', alarm: 'Too low', old: 'Old', unknown: 'Unknown' },
    sources: {
      told: 'the provider',
      counted: 'an operator, then the ledger',
      ledger: 'the ledger',
    },
  },
})
