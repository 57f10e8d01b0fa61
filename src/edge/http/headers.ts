import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What keeps browsers from framing, caching, sniffing or running an answer. */
export function securityHeaders(options: {
  isHttps: boolean
  cell: string | null
}): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(options.cell === null ? {} : { 'X-Cell': options.cell }),
    ...(options.isHttps ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
}

/** Sets these headers of an answer, and the id of its request. */
export function headerSetter(headers: Record<string, string>) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(headers)
    reply.header('X-Request-Id', request.id)
  }
}

/** All values of a header, by its lower-case name; Node's `headers` joins or drops repetitions. */
export function headersNamed({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    // Comparing lengths first spares toLowerCase() for most names.
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '')
  return values
}
