import type { IncomingMessage } from 'node:http'
import type { Answer } from './router.ts'

/**
 * The answer to a caller that must not drive the lab, whatever it asks for; undefined: it may.
 *
 * A sandbox's merchant chooses where webhooks go, and could choose the lab: every webhook has the
 * header `webhook-id`, which its address cannot take away. Programs need no header of their own. A
 * page of another site could post here through the browser of somebody on this machine: browsers
 * say so in `Origin` and `Sec-Fetch-Site`.
 */
export function refusalOf(
  { method, headers }: IncomingMessage,
  [first]: string[],
): Answer | undefined {
  if (headers['webhook-id'] !== undefined) return refusal('Webhooks are not taken here')
  if (method === 'GET') return undefined
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin === undefined && site === undefined) return undefined
  // No page controls the lab, not even one of its own address: a name of somebody else's may lead
  // here, and its pages then count as the lab's own.
  if (first === 'lab') return refusal('Web pages do not control the lab')
  const isOwnPage = site === undefined || site === 'same-origin' || site === 'none'
  return isOwnPage && (origin === undefined || hostOf(origin) === host)
    ? undefined
    : refusal('Pages of other sites are not served')
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host
}

function refusal(message: string): Answer {
  return { status: 403, body: { message } }
}
