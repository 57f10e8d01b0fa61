import type { FastifyRequest } from 'fastify'

/**
 * Whether a form was sent from our page, judged by Sec-Fetch-Site or Origin. Old browsers send
 * neither, or the Origin "null" because of our Referrer-Policy; these are accepted, since whoever
 * knows the link's id can pay anyway.
 */
export function isFromOurPage(request: FastifyRequest, ownOrigin: string | undefined): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = request.headers
  if (origin === undefined || origin === 'null') return true
  return origin === ownOrigin || URL.parse(origin)?.host === request.host
}
