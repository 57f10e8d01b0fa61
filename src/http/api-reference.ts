import { fastify } from 'fastify'
import { cached } from '../kit/cached.ts'
import { limitPerNetwork } from './address-limit.ts'
import type { Http } from './http.ts'
import { prepareFile, sendPrepared } from './prepared-file.ts'

// Generous: a whole office may be behind one address, and a page takes three requests.
export const referencePerMinute = 300

/**
 * Serves an interactive reference of the API at /docs. Its library is larger than the rest of the
 * gateway, so it is loaded with the first request; from then on its files are answered from memory.
 */
export function addApiReference(http: Http, demoKey: string | undefined): void {
  const prepared = cached(Number.POSITIVE_INFINITY, (_key: 'once') => prepareReference(demoKey))
  const options = {
    schema: { hide: true },
    config: { isPrepared: true },
    onRequest: limitPerNetwork(referencePerMinute),
  }
  http.get('/docs', options, async (request, reply) => {
    const { page } = await prepared('once')
    // The page finds its script relative to /docs/.
    if (!/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect('/docs/', 301)
    return sendPrepared(request, reply.header('Content-Security-Policy', policy), page)
  })
  http.get('/docs/js/scalar.js', options, async (request, reply) =>
    sendPrepared(request, reply, (await prepared('once')).script),
  )
}

async function prepareReference(demoKey: string | undefined) {
  const inner = await loadReference(demoKey)
  const prepare = async (path: string) => {
    const { headers, rawPayload } = await inner.inject(path)
    return prepareFile(String(headers['content-type']), rawPayload)
  }
  return { page: await prepare('/docs/'), script: await prepare('/docs/js/scalar.js') }
}

async function loadReference(demoKey: string | undefined) {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = fastify({ pluginTimeout: 0, routerOptions: { ignoreTrailingSlash: true } })
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Passerelle API reference',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      ...(demoKey === undefined
        ? {}
        : {
            authentication: {
              preferredSecurityScheme: 'apiKey',
              securitySchemes: { apiKey: { token: demoKey } },
            },
          }),
    },
  })
  return inner
}

// The library uses inline scripts and styles; it may connect to this server only.
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
