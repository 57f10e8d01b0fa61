import type { Language } from '#base/kit/language.ts'
import { en, fr, plural } from '#base/kit/texts.ts'

interface Words {
  guides: string
  about: string
  skip: string
  otherLanguage: string
  reference: string
  dashboard: string
  onThisPage: string
  allGuides: string
  previous: string
  next: string
  search: string
  searchFor: string
  /** In the field itself, which is short on a phone. */
  searchHint: string
  resultsFor: (query: string, count: number) => string
  tooShort: string
  nothing: string
  unknown: string
  unknownText: string
  toGuides: string
  answer: string
  after: (id: string) => string
  copy: string
  copied: string
  asMarkdown: string
  front: string
  frontText: string
  dashboardText: string
  referenceText: string
  payLink: string
  linkAddress: string
  toPay: string
  unknownLink: string
}

export const words: Record<Language, Words> = {
  fr: {
    guides: 'Guides',
    about: fr`Encaisser, payer, être notifié et tenir ses comptes avec Passerelle. Chaque exemple
      est exécuté contre une vraie passerelle avant d'être publié.`,
    skip: 'Aller au contenu',
    otherLanguage: 'English',
    reference: fr`Référence de l'API`,
    dashboard: 'Tableau de bord',
    onThisPage: 'Sur cette page',
    allGuides: 'Tous les guides',
    previous: 'Précédent',
    next: 'Suivant',
    search: 'Rechercher',
    searchFor: 'Rechercher dans les guides',
    searchHint: 'Mot ou code',
    resultsFor: (query, count) => {
      const number = count === 0 ? 'Aucun résultat' : `${count} ${plural.fr(count, 'résultat')}`
      return fr`${number} pour « ${query} »`
    },
    tooShort: fr`Écrivez un mot d'au moins deux lettres.`,
    nothing: fr`Essayez un seul mot, ou regardez la liste des guides.`,
    unknown: fr`Page introuvable`,
    unknownText: fr`Le guide a peut-être changé de nom. Cherchez-le, ou regardez la liste.`,
    toGuides: 'Voir tous les guides',
    answer: 'Réponse',
    after: (id) => fr`après « ${id} »`,
    copy: 'Copier',
    copied: 'Copié',
    asMarkdown: 'Cette page en Markdown',
    front: fr`Passerelle, passerelle de paiement`,
    frontText: fr`Encaisser et payer par Mobile Money, vendre du crédit téléphonique et régler des
      factures en Afrique de l'Ouest francophone.`,
    dashboardText: fr`Se connecter : opérations, liens de paiement, solde et relevés.`,
    referenceText: fr`Toutes les fonctions de l'API, avec une console pour les essayer.`,
    payLink: 'Payer un lien',
    linkAddress: fr`Adresse ou numéro du lien que vous avez reçu`,
    toPay: 'Aller au paiement',
    unknownLink: fr`Ce n'est pas l'adresse d'un lien de paiement. Recopiez-la en entier.`,
  },
  en: {
    guides: 'Guides',
    about: en`Collect, pay out, get notified and keep your books with Passerelle. Every example is
      run against a real gateway before it is published.`,
    skip: 'Skip to content',
    otherLanguage: 'Français',
    reference: 'API reference',
    dashboard: 'Dashboard',
    onThisPage: 'On this page',
    allGuides: 'All guides',
    previous: 'Previous',
    next: 'Next',
    search: 'Search',
    searchFor: 'Search the guides',
    searchHint: 'Word or code',
    resultsFor: (query, count) => {
      const number = count === 0 ? 'No result' : `${count} ${plural.en(count, 'result')}`
      return en`${number} for “${query}”`
    },
    tooShort: 'Type a word of at least two letters.',
    nothing: 'Try a single word, or look through the list of guides.',
    unknown: 'Page not found',
    unknownText: 'The guide may have been renamed. Search for it, or look through the list.',
    toGuides: 'See all guides',
    answer: 'Answer',
    after: (id) => en`after “${id}”`,
    copy: 'Copy',
    copied: 'Copied',
    asMarkdown: 'This page as Markdown',
    front: 'Passerelle, a payment gateway',
    frontText: 'Collect and pay out by mobile money, sell airtime and pay bills in West Africa.',
    dashboardText: 'Sign in: transactions, payment links, balance and statements.',
    referenceText: 'Every endpoint of the API, with a console to try them.',
    payLink: 'Pay a payment link',
    linkAddress: 'Address or number of the link that you received',
    toPay: 'Go to the payment',
    unknownLink: 'This is not the address of a payment link. Copy the whole of it.',
  },
}
