import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from '../http/encoding.ts'
import { randomText } from '../kit/ids.ts'
import type { PayerView } from '../links/checkout.ts'
import type { Screen } from './page.ts'
import { writeMain, writePage } from './page.ts'
import type { Visit } from './visit.ts'

const compress = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
}
// A higher quality takes more time than it saves on a page of this size.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Sends a screen as a page, or with `?part=main` without its frame, compressed if accepted. */
export async function sendScreen(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  screen: Screen,
  view?: PayerView,
): Promise<FastifyReply> {
  const nonce = randomText(16)
  const { part } = request.query as { part?: unknown }
  const page =
    part === 'main' ? writeMain(visit, screen, view) : writePage(visit, screen, view, nonce)
  const bytes = Buffer.from(page.text)
  reply.headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': visit.language,
    'Content-Security-Policy': policyOf(nonce),
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

/** Allows only the style and script of this very answer, and connections to this server only. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    // The favicon.
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
