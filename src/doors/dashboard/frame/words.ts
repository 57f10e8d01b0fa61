import type { Language } from '#base/kit/language.ts'
import { fillIn, type Reason } from '#base/kit/refusal.ts'
import { en, fr } from '#edge/pages/typography.ts'
import { inFrench } from '#edge/wire/french.ts'

/**
 * The texts of a screen in both languages, each screen's in its own file:
 * `const words = inBoth({ fr: {…}, en: {…} })`, then `words[visit.language].title`.
 */
export function inBoth<T extends object>(texts: { fr: T; en: T }): Record<Language, T> {
  return texts
}

/** A sentence of a refusal in a language; one without a translation stays English. */
export function sentenceOf({ text, values, field }: Reason, language: Language): string {
  const template = language === 'fr' ? inFrench(text) : text
  return fillIn(template, { ...values, ...(field === undefined ? {} : { field }) })
}

/** What the frame of every page says. */
export const frameWords = inBoth({
  fr: {
    product: 'Passerelle',
    colon: '\u00a0:',
    sandbox: fr`TEST : aucun argent réel ne circule ici`,
    skip: fr`Aller au contenu`,
    menu: 'Menu',
    more: 'Plus',
    signOut: fr`Se déconnecter`,
    otherLanguage: 'English',
    switchClient: fr`Changer de marchand`,
    operations: 'Exploitation',
    signedInAs: (name: string) => fr`Connecté : ${name}`,
    secretOnce: fr`Copiez-le maintenant : il ne sera plus affiché.`,
    copy: 'Copier',
    copied: fr`Copié`,
    problems: fr`À corriger`,
    technical: fr`Détail technique`,
    filter: 'Filtrer',
    apply: 'Appliquer',
    lost: fr`Connexion perdue : cette page n'est plus à jour.`,
    live: fr`à jour`,
    older: fr`Plus anciens`,
    newest: fr`Revenir aux plus récents`,
    following: 'Suite',
    beginning: fr`Revenir au début`,
    sections: {
      home: 'Accueil',
      transactions: 'Transactions',
      links: fr`Liens de paiement`,
      pay: 'Payer',
      batches: fr`Paiements groupés`,
      balance: 'Solde',
      statements: fr`Relevés`,
      'sub-merchants': fr`Points de vente`,
      developers: fr`Développeurs`,
      team: fr`Équipe`,
      audit: 'Journal',
      settings: fr`Réglages`,
      account: 'Mon compte',
    },
    opsSections: {
      health: fr`État`,
      clients: 'Marchands',
      providers: 'Prestataires',
      transactions: 'Transactions',
      parked: fr`À décider`,
      retention: 'Conservation',
      suspense: fr`Fonds en attente`,
      webhooks: 'Webhooks',
      approvals: 'Approbations',
      ledger: 'Balance',
      recon: 'Rapprochement',
      maintenance: 'Maintenance',
      limits: 'Limites',
      float: fr`Avoirs`,
      mails: 'E-mails',
      users: fr`Opérateurs`,
      audit: 'Journal',
    },
  },
  en: {
    product: 'Passerelle',
    colon: ':',
    sandbox: 'TEST: no real money moves here',
    skip: 'Skip to content',
    menu: 'Menu',
    more: 'More',
    signOut: 'Sign out',
    otherLanguage: 'Français',
    switchClient: 'Switch merchant',
    operations: 'Operations',
    signedInAs: (name: string) => `Signed in: ${name}`,
    secretOnce: 'Copy it now: it is never shown again.',
    copy: 'Copy',
    copied: 'Copied',
    problems: 'Please correct',
    technical: 'Technical detail',
    filter: 'Filter',
    apply: 'Apply',
    lost: en`Connection lost: this page is no longer up to date.`,
    live: 'up to date',
    older: 'Older',
    newest: 'Back to the newest',
    following: 'Next',
    beginning: 'Back to the beginning',
    sections: {
      home: 'Home',
      transactions: 'Transactions',
      links: 'Payment links',
      pay: 'Pay',
      batches: 'Payout batches',
      balance: 'Balance',
      statements: 'Statements',
      'sub-merchants': 'Sub-merchants',
      developers: 'Developers',
      team: 'Team',
      audit: 'Audit log',
      settings: 'Settings',
      account: 'My account',
    },
    opsSections: {
      health: 'Health',
      clients: 'Merchants',
      providers: 'Providers',
      transactions: 'Transactions',
      parked: 'To decide',
      retention: 'Retention',
      suspense: 'Suspense',
      webhooks: 'Webhooks',
      approvals: 'Approvals',
      ledger: 'Trial balance',
      recon: 'Reconciliation',
      maintenance: 'Maintenance',
      limits: 'Limits',
      float: 'Float',
      mails: 'Emails',
      users: 'Operators',
      audit: 'Audit log',
    },
  },
})

export type Section = keyof (typeof frameWords)['fr']['sections']

export type OpsSection = keyof (typeof frameWords)['fr']['opsSections']
