import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomText } from '#base/kit/ids.ts'
import { sendPage } from '#edge/pages/send-page.ts'
import type { PayerView } from '#money/links/checkout.ts'
import { type Screen, writeMain, writePage } from './page.ts'
import type { Visit } from './visit.ts'

/** Sends a screen as a page, or with `?part=main` without its frame. */
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
  const policy = policyOf(nonce, view !== undefined && view.brand.logo !== null)
  return sendPage(request, reply, page, { language: visit.language, policy })
}

/** Allows only the style and script of this very answer, and connections to this server only. */
function policyOf(nonce: string, hasLogo: boolean): string[] {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    // The favicon, and a logo from this server.
    hasLogo ? "img-src 'self' data:" : 'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
}
