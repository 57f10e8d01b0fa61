import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Checkout } from '#money/links/checkout.ts'
import type { Limits } from './limits.ts'

const isHash = /^[0-9a-f]{64}$/

/** The route of merchants' logos; the address names the bytes, so browsers keep them for good. */
export function logoHandler({ logoOf }: Pick<Checkout, 'logoOf'>, limits: Limits) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { hash = '' } = request.params as { hash?: string }
    const waitSeconds = limits.count('logo', request.ip, '')
    if (waitSeconds > 0) return reply.code(429).header('Retry-After', waitSeconds).send()
    const logo = isHash.test(hash) ? await logoOf(hash) : undefined
    if (logo === undefined) return reply.code(404).send()
    reply.header('Cache-Control', 'public, max-age=31536000, immutable')
    reply.header('Content-Security-Policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
    return reply.type(logo.mediaType).send(logo.bytes)
  }
}
