import type { FastifyRequest } from 'fastify'

/**
 * Whether a form was sent from a page of ours, as far as the browser tells. Old ones tell nothing,
 * or "null" because our pages ask for no referrer; for those the link's id is the proof.
 */
export function isFromOurPage(request: FastifyRequest, ownOrigin: string | undefined): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = request.headers
  if (origin === undefined || origin === 'null') return true
  return origin === ownOrigin || URL.parse(origin)?.host === request.host
}
