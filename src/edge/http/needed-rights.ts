import type { FastifyRequest } from 'fastify'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Operation } from '#merchants/catalog/services.ts'
import type { Caller } from '#merchants/clients/authenticate.ts'
import type { KeyRight } from '#merchants/clients/key-rights.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the key must be allowed to do: any of these; left out, with GET: `read`. */
    rights?: readonly KeyRight[]
  }
}

const readMethods = new Set(['GET', 'HEAD'])

/** Lets no route be added that changes something and does not say which right it needs. */
export function requireRights(http: Http): void {
  http.addHook('onRoute', ({ method, url, config }) => {
    const isRead = [method].flat().every((one) => readMethods.has(one))
    if (url.startsWith('/api/') && !isRead && config?.rights === undefined)
      throw new Error(`${String(method)} ${url} does not say which right of a key it needs`)
  })
}

/** Refuses what the key may not do; with the operation of the service, if that decides. */
export function refuseWithoutRight(
  request: FastifyRequest,
  { rights }: Caller,
  operation: Operation | null = null,
): void {
  const needed = neededRights(request, operation)
  if (needed.length === 0 || needed.some((right) => rights.includes(right))) return
  throw new Refusal(
    'right_missing',
    reason('This key lacks the right {right}', { right: needed.join(' / ') }),
  )
}

function neededRights(
  { method, routeOptions }: FastifyRequest,
  operation: Operation | null,
): readonly KeyRight[] {
  // Where there is no such route nothing is needed: the answer says that it is not there.
  const needed = routeOptions.config.rights ?? (readMethods.has(method) ? ['read'] : [])
  if (operation === null) return needed
  const right = operation === 'CASHOUT' ? 'collect' : 'pay'
  return needed.includes(right) ? [right] : needed
}
