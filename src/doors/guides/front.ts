import type { onRequestHookHandler } from 'fastify'
import { languages, readAcceptLanguage } from '#base/kit/language.ts'
import type { Http } from '#edge/http/http.ts'
import { prepareFile, sendPrepared } from '#edge/http/prepared-file.ts'
import { timeOfRequest } from '#edge/http/request-ids.ts'
import { iconSvg } from '#edge/pages/head.ts'
import { sendPage } from '#edge/pages/send-page.ts'
import type { openLibrary } from './library.ts'

interface Site {
  /** Where payment pages are. */
  payAt: string
  policy: string[]
  /** The public address, without a slash at its end. */
  publicUrl: string
  /** Null: none is told. */
  securityContact: string | null
  onRequest: onRequestHookHandler
}

const linkId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i
const icon = prepareFile('image/svg+xml', Buffer.from(iconSvg))
// Guides and reference are for everybody; a payment page is for one payer.
const robots = prepareFile(
  'text/plain; charset=utf-8',
  Buffer.from('User-agent: *\nAllow: /$\nAllow: /docs/\nAllow: /llms\nDisallow: /\n'),
)

/** GET /, which leads a payer to the page of a link; /favicon.ico, /robots.txt, security.txt */
export function addFront(http: Http, library: ReturnType<typeof openLibrary>, site: Site): void {
  const { payAt, policy, onRequest } = site
  const schema = { hide: true }
  http.get('/', { schema, onRequest }, async (request, reply) => {
    const { lang, link } = request.query as { lang?: unknown; link?: unknown }
    const header = request.headers['accept-language']
    const accepted = readAcceptLanguage(header, { fallback: 'fr', tie: 'first' })
    const language = languages.find((one) => one === lang) ?? accepted
    const id = linkId.exec(String(link))?.[0]
    if (id !== undefined) return reply.redirect(`${payAt}/process/${id.toLowerCase()}`, 303)
    const page = await library.front(language, link !== undefined)
    return sendPage(request, reply, page, { language, policy })
  })
  for (const [path, file] of [
    ['/favicon.ico', icon],
    ['/robots.txt', robots],
  ] as const)
    http.get(path, { schema, config: { isPrepared: true }, onRequest }, async (request, reply) =>
      sendPrepared(request, reply, await file),
    )
  addSecurityText(http, site)
}

const dayMs = 86_400_000

/** RFC 9116. Its end is always half a year ahead: who operates this answers for the contact. */
function addSecurityText(http: Http, { publicUrl, securityContact, onRequest }: Site): void {
  if (securityContact === null) return
  const address = '/.well-known/security.txt'
  http.get(address, { schema: { hide: true }, onRequest }, async (request, reply) => {
    const expires = new Date(Math.ceil(timeOfRequest(request).getTime() / dayMs + 180) * dayMs)
    return reply
      .header('Content-Type', 'text/plain; charset=utf-8')
      .send(
        `Contact: ${securityContact}\nExpires: ${expires.toISOString()}\n` +
          `Preferred-Languages: fr, en\nCanonical: ${publicUrl}${address}\n`,
      )
  })
}
