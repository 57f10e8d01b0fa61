import type { Http } from './server.ts'

/** Headers that keep browsers from doing anything with an answer but reading it. */
export function addSecurityHeaders(http: Http, options: { isHttps: boolean }): void {
  const always = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(options.isHttps ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
  http.addHook('onRequest', async (request, reply) => {
    reply.headers(always)
    reply.header('X-Request-Id', request.id)
    reply.header('Cache-Control', 'no-store')
    reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  })
}
