import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sets the headers that keep browsers from doing anything with an answer but reading it. */
export function securityHeaders(options: { isHttps: boolean }) {
  const always = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(options.isHttps ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
  return (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(always)
    reply.header('X-Request-Id', request.id)
  }
}
