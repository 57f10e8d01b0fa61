import { fastify } from 'fastify'
import { cached } from '../kit/cached.ts'
import type { Http } from './http.ts'

/**
 * Serves an interactive reference of the API at /docs. Its library is larger than the rest of the
 * gateway, so it is loaded with the first request.
 */
export function addApiReference(http: Http, demoKey: string | undefined): void {
  const reference = cached(Number.POSITIVE_INFINITY, (_key: 'once') => loadReference(demoKey))
  for (const url of ['/docs', '/docs/js/scalar.js'])
    http.get(url, { schema: { hide: true } }, async (request, reply) => {
      const inner = await reference('once')
      const { statusCode, headers, rawPayload } = await inner.inject(request.url)
      for (const name of ['content-type', 'location'])
        if (headers[name] !== undefined) reply.header(name, headers[name])
      reply.header('Content-Security-Policy', policy).header('Cache-Control', 'no-cache')
      return reply.code(statusCode).send(rawPayload)
    })
}

async function loadReference(demoKey: string | undefined) {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = fastify({ routerOptions: { ignoreTrailingSlash: true } })
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
