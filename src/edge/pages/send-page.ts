import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { encodingFor } from '#edge/http/encoding.ts'

const compress = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
}
// A higher quality takes more time than it saves on a page of this size.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

interface PageFacts {
  language: Language
  /** The Content-Security-Policy, one directive each. */
  policy: string[]
}

/** Sends a page, compressed if the browser accepts it. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Html,
  { language, policy }: PageFacts,
): Promise<FastifyReply> {
  const bytes = Buffer.from(page.text)
  reply.headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': policy.join('; '),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    Vary: 'Accept-Encoding, Accept-Language',
  })
  // What is over a limit must cost less than what it asks for.
  const isOverLimit = reply.statusCode === 429
  const encoding = isOverLimit ? undefined : encodingFor(request.headers['accept-encoding'])
  if (encoding === undefined) return reply.send(bytes)
  reply.header('Content-Encoding', encoding)
  return reply.send(
    await (encoding === 'br'
      ? compress.br(bytes, brotliOptions)
      : compress.gzip(bytes, { level: 6 })),
  )
}
