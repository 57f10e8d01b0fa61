import type { FastifyRequest } from 'fastify'
import { type Language, otherLanguage } from '#base/kit/language.ts'
import { timeOfRequest } from '#edge/http/request-ids.ts'
import type { PayerView } from '#money/links/checkout.ts'
import { isLinkId } from '#money/links/link.ts'
import type { PageTexts } from './french.ts'
import { chooseLanguage, readLangParameter } from './language.ts'
import type { Note, Notes } from './notes.ts'
import { textsOf } from './texts.ts'

export type Action = 'review' | 'pay' | 'code' | 'new-code' | 'other-wallet' | 'give-up'

/** What a request says about its payer: the language, the device, and the base of relative URLs. */
export interface Visit {
  language: Language
  texts: PageTexts
  /** The `?lang=` of the request, which every link of the page repeats. */
  askedLanguage: Language | undefined
  /**
   * The address was given to who pays: nobody else is told that they have just paid, or led back
   * to the shop.
   */
  isPayer: boolean
  /** What the form told that led to this page. */
  note: Note
  /** The URL of the page, or of one of its forms, relative to that of the request. */
  hrefOf(action?: Action, more?: { note?: Note; isPayer?: boolean }): string
  /** The query of this page in the other language. */
  otherLanguageQuery: string
  /** The URL of a logo, relative to that of the request. */
  logoHrefOf(hash: string): string
  /** The same for programs that show a card of the page. */
  logoUrlOf(hash: string): string
  /** The browser says that it runs on a phone, where a QR code to scan is of no use. */
  isPhone: boolean
  isSandbox: boolean
  now: Date
}

/** What is the same for all pages. */
export interface Site {
  /** No real money moves: every page says so. */
  isSandbox: boolean
  notes: Notes
  /** Where payment pages are, as everybody reaches them. */
  payUrl: string
}

/** Reads the payer's preferences from a request; the link's language counts if it is known. */
export function readVisit(request: FastifyRequest, view: PayerView | undefined, site: Site): Visit {
  const { lang, payer, n } = request.query as { lang?: unknown; payer?: unknown; n?: unknown }
  const { id = '' } = request.params as { id?: string }
  const askedLanguage = readLangParameter(lang)
  const language = chooseLanguage(lang, view?.language, request.headers['accept-language'])
  const folder = '../'.repeat(depthOf(request.originalUrl))
  const page = folder + encodeURIComponent(id)
  const isPayer = payer === '1'
  const now = timeOfRequest(request)
  const note = site.notes.read(id, n, now)
  const other = otherLanguage[language]
  return {
    language,
    texts: textsOf(language),
    askedLanguage,
    isPayer,
    note,
    hrefOf: (action, more = {}) =>
      (action === undefined ? page : `${page}/${action}`) +
      queryOf({
        lang: askedLanguage,
        payer: (more.isPayer ?? isPayer) ? '1' : undefined,
        n: isEmpty(more.note) ? undefined : site.notes.write(id, more.note, now),
      }),
    otherLanguageQuery: queryOf({
      lang: other,
      payer: isPayer ? '1' : undefined,
      n: isEmpty(note) ? undefined : String(n),
    }),
    logoHrefOf: (hash) => `${folder}logo/${hash}`,
    logoUrlOf: (hash) => `${site.payUrl}/process/logo/${hash}`,
    isPhone: request.headers['sec-ch-ua-mobile'] === '?1',
    isSandbox: site.isSandbox,
    now,
  }
}

function isEmpty(note: Note | undefined): note is undefined {
  return note === undefined || Object.keys(note).length === 0
}

function queryOf(parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${String(new URLSearchParams(given as [string, string][]))}`
}

/** The link id in the URL; empty when that is no valid id. */
export function linkIdOf(request: FastifyRequest): string {
  const { id = '' } = request.params as { id?: string }
  return isLinkId(id) ? id : ''
}

/** How many segments follow /process/<id>; a proxy may have put any path in front of it. */
function depthOf(url: string): number {
  const [path = ''] = url.split('?')
  const tail = path.slice(path.lastIndexOf('/process/') + '/process/'.length)
  return tail.split('/').length - 1
}
