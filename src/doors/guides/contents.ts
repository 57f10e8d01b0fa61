import type { Language } from '#base/kit/language.ts'

/** The guides in the order of reading. A guide is guides/<language>/<name>.md, at /docs/<…>. */
export const chapters: { title: Record<Language, string>; guides: string[] }[] = [
  {
    title: { fr: 'Commencer', en: 'Get started' },
    guides: ['first-payment', 'sandbox-numbers', 'tools'],
  },
  {
    title: { fr: 'Encaisser et payer', en: 'Collect and pay' },
    guides: ['payment-links', 'one-time-codes', 'refunds', 'bills', 'batches'],
  },
  {
    title: { fr: 'Ne rien perdre', en: 'Reliability' },
    guides: ['webhooks', 'lost-answers', 'errors'],
  },
  {
    title: { fr: 'Mise en production', en: 'Going live' },
    guides: ['going-live', 'reconciliation'],
  },
]

/** The names of all guides, in the order of reading. */
export const guideNames: string[] = chapters.flatMap(({ guides }) => guides)
