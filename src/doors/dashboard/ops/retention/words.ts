import { fr, inBoth } from '#base/kit/texts.ts'

/** What each rule forgets. */
export const ruleWords = inBoth({
  fr: {
    evidence: fr`Textes des prestataires (le résultat, la référence et le montant restent)`,
    answers: fr`Réponses des serveurs des marchands aux webhooks`,
    mails: 'E-mails',
    numbers: fr`Numéros des payeurs, remplacés par un pseudonyme ; noms et adresses des clients`,
    batches: fr`Numéros et noms des lignes de paiements groupés qui n'ont pas été envoyées`,
    statements: fr`Numéros des payeurs dans les relevés des prestataires`,
    differences: fr`Numéros des payeurs dans les écarts fermés`,
    blocks: fr`Blocages de numéros expirés`,
    secrets: fr`Secrets de webhook expirés`,
  },
  en: {
    evidence: 'Provider texts (outcome, reference and amount remain)',
    answers: 'Answers of merchants’ servers to webhooks',
    mails: 'Emails',
    numbers: 'Payers’ numbers, replaced by a pseudonym; customers’ names and addresses',
    batches: 'Numbers and names in batch lines that were not sent',
    statements: 'Payers’ numbers in provider statements',
    differences: 'Payers’ numbers in closed differences',
    blocks: 'Expired number blocks',
    secrets: 'Expired webhook secrets',
  },
})

/** What other rooms remove by themselves, and when. */
export const fixedPeriods = inBoth<[what: string, period: string][]>({
  fr: [
    [fr`Réponses conservées pour Idempotency-Key`, '72 heures'],
    [fr`Journal des requêtes (numéros masqués)`, fr`30 jours, 36 au plus`],
    [fr`Sessions et leurs formulaires`, fr`3 jours sans usage, 30 au plus`],
    [fr`Codes d'accès, tentatives de connexion`, fr`à leur expiration, 2 jours`],
    [fr`Tentatives par numéro`, '10 minutes'],
    [fr`Historique des avoirs`, '90 jours'],
  ],
  en: [
    ['Answers stored for Idempotency-Key', '72 hours'],
    ['Request log (numbers masked)', '30 days, 36 at most'],
    ['Sessions and their forms', '3 days unused, 30 at most'],
    ['Access codes, sign-in attempts', 'when they expire, 2 days'],
    ['Attempts per number', '10 minutes'],
    ['Float history', '90 days'],
  ],
})
