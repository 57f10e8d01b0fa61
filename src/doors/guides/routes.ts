import type { FastifyReply, FastifyRequest } from 'fastify'
import { languages, readAcceptLanguage } from '#base/kit/language.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { limitPerNetwork } from '#edge/http/address-limit.ts'
import type { Http } from '#edge/http/http.ts'
import { completeDescription } from '#edge/http/openapi-document.ts'
import { sendPrepared } from '#edge/http/prepared-file.ts'
import { sendPage } from '#edge/pages/send-page.ts'
import { addCliArchive } from './cli-archive.ts'
import { addFront } from './front.ts'
import { type FileName, openLibrary } from './library.ts'
import { writtenUrl } from './read-guide.ts'
import type { Description } from './reference.ts'
import { queryMax } from './search.ts'

interface Site {
  publicUrl: string
  payUrl: string
  isSandbox: boolean
  /** Where to report a weakness; null: nowhere is told. */
  securityContact: string | null
}

// A page takes three requests, and a whole office may be behind one address.
const pagesPerMinute = 300
// A search looks through all guides: a millisecond or two.
const searchesPerMinute = 60

// Nothing but this server's own style and script; the script only adds buttons that copy.
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/**
 * Serves the front page at /, the reference at /docs/, and the guides at /docs/fr and /docs/en:
 * pages, Markdown and search, and lists of them for programs at /llms.txt and /llms-full.txt.
 */
export function addGuides(http: Http, site: Site): void {
  const { publicUrl, payUrl, isSandbox } = site
  // The demo key of the examples is valid in a sandbox only, so that elsewhere they name one there.
  // Relative where the payment page is on this address, whatever name a caller has for it.
  const payAt = payUrl.startsWith(`${publicUrl}/`) ? payUrl.slice(publicUrl.length) : payUrl
  const library = openLibrary(isSandbox ? publicUrl : writtenUrl, () => describedBy(http))
  const schema = { hide: true }
  const onRequest = limitPerNetwork(pagesPerMinute)
  const kept = { schema, config: { isPrepared: true }, onRequest }
  addReference(http, library, kept)
  http.get('/docs/guides', { schema, onRequest }, async (request, reply) => {
    const header = request.headers['accept-language']
    const language = readAcceptLanguage(header, { fallback: 'fr', tie: 'first' })
    return reply.header('Vary', 'Accept-Language').redirect(`/docs/${language}`, 302)
  })

  addFront(http, library, { ...site, payAt, policy, onRequest })

  const searching = limitPerNetwork(searchesPerMinute)
  for (const language of languages) {
    http.get(`/docs/${language}`, kept, (request, reply) => show(request, reply, ''))
    http.get(`/docs/${language}/:guide`, kept, (request, reply) => {
      const { guide } = request.params as { guide: string }
      return show(request, reply, guide)
    })
    http.get(
      `/docs/${language}/search`,
      { schema, onRequest: searching },
      async (request, reply) => {
        const found = await library.found(language, queryOf(request))
        return sendPage(request, reply, found, { language, policy })
      },
    )

    const show = async (request: FastifyRequest, reply: FastifyReply, asked: string) => {
      const [, name = asked, isMarkdown] = /^(.+)(\.md)$/.exec(asked) ?? []
      if (isMarkdown !== undefined) {
        const text = await library.markdown(language, name)
        if (text !== undefined)
          return reply.header('Content-Language', language).type(markdown).send(text)
      }
      const page = await library.page(language, asked)
      if (page === undefined)
        return sendPage(request, reply.code(404), await library.unknown(language), {
          language,
          policy,
        })
      reply.headers({ 'Content-Security-Policy': policy.join('; '), 'Content-Language': language })
      return sendPrepared(request, reply, page)
    }
  }

  http.get('/docs/assets/:hash/:file', kept, async (request, reply) => {
    const { file } = request.params as { file: string }
    if (!isFile(file)) {
      const { method, url: path } = request
      throw new Refusal(
        'not_found',
        reason('There is nothing at {method} {path}', { method, path }),
      )
    }
    const forGood = 'public, max-age=31536000, immutable'
    return sendPrepared(request, reply, await library.file(file), forGood)
  })
  for (const name of ['llms', 'llms-full'] as const)
    http.get(`/${name}.txt`, kept, async (request, reply) =>
      sendPrepared(request, reply, await library.list(name)),
    )
  addCliArchive(http, kept, publicUrl)
}

function describedBy(http: Http): Description {
  return completeDescription(http.swagger()) as unknown as Description
}

/** The reference of the interface, at /docs/. */
function addReference(
  http: Http,
  library: ReturnType<typeof openLibrary>,
  kept: Parameters<typeof addCliArchive>[1],
): void {
  http.get('/docs', kept, async (request, reply) => {
    if (!/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect('/docs/', 301)
    reply.headers({ 'Content-Security-Policy': policy.join('; '), 'Content-Language': 'en' })
    return sendPrepared(request, reply, await library.reference())
  })
}

const markdown = 'text/markdown; charset=utf-8'

function isFile(name: string): name is FileName {
  return name === 'guides.css' || name === 'guides.js'
}

/** What is looked for: the first `q`, cut to what is searched. */
function queryOf(request: FastifyRequest): string {
  const { q } = request.query as { q?: string | string[] }
  return ([q].flat()[0] ?? '').slice(0, queryMax)
}
