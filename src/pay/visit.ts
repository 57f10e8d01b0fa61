import type { FastifyRequest } from 'fastify'
import type { Clock } from '../kit/clock.ts'
import type { Language } from '../kit/language.ts'
import type { PayerView } from '../links/checkout.ts'
import { isLinkId } from '../links/link.ts'
import type { PageTexts } from './french.ts'
import { chooseLanguage, readLangParameter } from './language.ts'
import { textsOf } from './texts.ts'

export type Action = 'review' | 'pay' | 'code' | 'new-code' | 'other-wallet' | 'give-up'

/** What a request says about its payer: the language, the device, and the base of relative URLs. */
export interface Visit {
  language: Language
  texts: PageTexts
  /** The `?lang=` of the request, which every link of the page repeats. */
  askedLanguage: Language | undefined
  /** The URL of the page, or of one of its forms, relative to that of the request. */
  hrefOf(action?: Action): string
  /** The URL of a logo, relative to that of the request. */
  logoHrefOf(hash: string): string
  /** The request came with a form: a link to its URL would lose the fields. */
  isPosted: boolean
  /** The browser says that it runs on a phone, where a QR code to scan is of no use. */
  isPhone: boolean
  isSandbox: boolean
  now: Date
}

/** What is the same for all pages. */
export interface Site {
  clock: Clock
  /** No real money moves: every page says so. */
  isSandbox: boolean
}

/** Reads the payer's preferences from a request; the link's language counts if it is known. */
export function readVisit(request: FastifyRequest, view: PayerView | undefined, site: Site): Visit {
  const { lang } = request.query as { lang?: unknown }
  const { id = '' } = request.params as { id?: string }
  const askedLanguage = readLangParameter(lang)
  const language = chooseLanguage(lang, view?.language, request.headers['accept-language'])
  const folder = '../'.repeat(depthOf(request.originalUrl))
  const page = folder + encodeURIComponent(id)
  const query = askedLanguage === undefined ? '' : `?lang=${askedLanguage}`
  return {
    language,
    texts: textsOf(language),
    askedLanguage,
    hrefOf: (action) => (action === undefined ? page : `${page}/${action}`) + query,
    logoHrefOf: (hash) => `${folder}logo/${hash}`,
    isPosted: request.method === 'POST',
    isPhone: request.headers['sec-ch-ua-mobile'] === '?1',
    isSandbox: site.isSandbox,
    now: site.clock.now(),
  }
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
