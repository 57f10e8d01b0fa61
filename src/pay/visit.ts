import type { FastifyRequest } from 'fastify'
import type { Language } from '../kit/language.ts'
import type { PayerView } from '../links/checkout.ts'
import { isLinkId } from '../links/link.ts'
import type { PageTexts } from './french.ts'
import { chooseLanguage, readLangParameter } from './language.ts'
import { textsOf } from './texts.ts'

export type Action = 'review' | 'pay' | 'code' | 'other-wallet' | 'give-up'

/** One look of one payer: in which language, and where everything is from there. */
export interface Visit {
  language: Language
  texts: PageTexts
  /** The language asked for in the address, which then stays in it. */
  askedLanguage: Language | undefined
  /** The page, or one of its actions, relative to the address that was asked. */
  to(action?: Action): string
  /** What was asked cannot be followed as a link: it came with a form. */
  isPosted: boolean
  /** A phone says so of itself; it needs no code to scan with another phone. */
  isPhone: boolean
}

/** Reads what a request says about its payer; every address in it is relative. */
export function readVisit(request: FastifyRequest, view: PayerView | undefined): Visit {
  const { lang } = request.query as { lang?: unknown }
  const { id = '' } = request.params as { id?: string }
  const askedLanguage = readLangParameter(lang)
  const language = chooseLanguage(lang, view?.language, request.headers['accept-language'])
  const page = '../'.repeat(depthOf(request.originalUrl)) + encodeURIComponent(id)
  const query = askedLanguage === undefined ? '' : `?lang=${askedLanguage}`
  return {
    language,
    texts: textsOf(language),
    askedLanguage,
    to: (action) => (action === undefined ? page : `${page}/${action}`) + query,
    isPosted: request.method === 'POST',
    isPhone: request.headers['sec-ch-ua-mobile'] === '?1',
  }
}

/** The link that an address names; empty when it names nothing that could be one. */
export function linkIdOf(request: FastifyRequest): string {
  const { id = '' } = request.params as { id?: string }
  return isLinkId(id) ? id : ''
}

/** How many steps an address is below its page's folder: a proxy may have put it anywhere. */
function depthOf(url: string): number {
  const [path = ''] = url.split('?')
  const tail = path.slice(path.lastIndexOf('/process/') + '/process/'.length)
  return tail.split('/').length - 1
}
