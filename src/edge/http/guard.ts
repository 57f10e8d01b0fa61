import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Mode } from '#base/config/config.ts'
import { cellOfSecret } from '#base/kit/cell-names.ts'
import type { Clock } from '#base/kit/clock.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import {
  closedRefusal,
  closureOf,
  type Maintenance,
  retryAfterOf,
} from '#merchants/catalog/maintenance.ts'
import { type Operation, parseServiceCode } from '#merchants/catalog/services.ts'
import type { Closure } from '#merchants/catalog/store.ts'
import { wrongCell } from '#merchants/cells/wrong-cell.ts'
import { isAddressAllowed } from '#merchants/clients/allowed-addresses.ts'
import type { Caller } from '#merchants/clients/authenticate.ts'
import { inactiveRefusal, mayBegin } from '#merchants/clients/standing.ts'
import { headersNamed } from './headers.ts'
import type { Http } from './http.ts'
import { refuseWithoutRight, requireRights } from './needed-rights.ts'
import type { RateCount } from './rate-windows.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requires an active merchant account. */
    isMerchantOperation?: boolean
    /** Begins a payment of the service that the body names. */
    beginsPayment?: boolean
  }
}

interface Guard {
  authenticate(secret: string): Promise<Caller | undefined>
  /** Counts a request of a key in its minute. */
  countRequest(keyId: string): RateCount
  maintenance(): Promise<Maintenance>
  clock: Clock
  mode: Mode
  /** The name of this cell; null: there are no cells. */
  cell: string | null
}

/**
 * Checks every request under /api/ in this order: key (401, or 421 in a cell that does not know the
 * key of another), rate limit (429), permissions and
 * maintenance (403). The body is validated afterwards, so that callers without a valid key learn
 * nothing about it.
 */
export function addGuard(http: Http, guard: Guard): void {
  http.decorateRequest('caller', null)
  requireRights(http)

  http.addHook('onRequest', async (request, reply) => {
    if (!isGuarded(request)) return
    const secret = readSecret(authorizationsOf(request))
    const caller = await guard.authenticate(secret)
    if (caller === undefined) throw unknownKey(secret)
    request.caller = caller
    applyRate(guard.countRequest(caller.keyId), caller.ratePerMinute, reply)
    await checkPermission(request, reply, caller)
  })

  // What depends on the service: runs when the body, which names it, is parsed but not yet
  // validated.
  http.addHook('preValidation', async (request, reply) => {
    const code = isGuarded(request) ? serviceCodeIn(request.body) : undefined
    const operation = parseServiceCode(code ?? '')?.operation ?? null
    if (request.caller !== null) refuseWithoutRight(request, request.caller, operation)
    if (code !== undefined) {
      const maintenance = await guard.maintenance()
      const what = reason('The service {code} is under maintenance', { code })
      if (maintenance.closedServices.has(code))
        throw closed(reply, what, closureOf(maintenance, code))
    }
    if (request.routeOptions.config.beginsPayment && request.caller !== null)
      refuseInactive(request.caller, operation)
  })

  function unknownKey(secret: string): Refusal {
    const cell = guard.cell === null ? undefined : cellOfSecret(secret)
    if (cell !== undefined && cell !== guard.cell) return wrongCell(cell)
    return new Refusal('invalid_api_key', 'Invalid API KEY')
  }

  function closed(reply: FastifyReply, what: Reason, closure: Closure | undefined): Refusal {
    reply.header('Retry-After', retryAfterOf(closure, guard.clock.now()))
    return closedRefusal(what, closure)
  }

  function refuseInactive({ merchantStatus }: Caller, operation: Operation | null): void {
    if (!mayBegin(merchantStatus, guard.mode, operation)) throw inactiveRefusal()
  }

  async function checkPermission(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
  ): Promise<void> {
    if (!isAddressAllowed(caller.allowedAddresses, request.ip))
      throw new Refusal(
        'address_not_allowed',
        reason('This key cannot be used from {address}', { address: request.ip }),
      )
    const { isMerchantOperation = false } = request.routeOptions.config
    refuseWithoutRight(request, caller)
    const maintenance = await guard.maintenance()
    if (maintenance.isClosed)
      throw closed(reply, reason('API under maintenance'), closureOf(maintenance, null))
    if (isMerchantOperation) refuseInactive(caller, null)
  }
}

function isGuarded(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith('/api/') ?? false
}

/** The Authorization headers; a browser's WebSocket can set none and uses a subprotocol instead. */
function authorizationsOf(request: FastifyRequest): string[] | undefined {
  const given = headersNamed(request.raw, 'authorization')
  if (given.length > 0) return given
  if (!request.ws) return undefined
  const protocols = request.headers['sec-websocket-protocol']?.split(/,\s*/) ?? []
  const keys = protocols.filter((one) => one.startsWith('bearer.'))
  return keys.length === 0 ? undefined : keys.map((one) => one.replace('bearer.', 'Bearer '))
}

function readSecret(authorizations: string[] | undefined): string {
  if (authorizations === undefined)
    throw new Refusal('missing_api_key', 'The Authorization header must be: Bearer <API_KEY>')
  // Two headers are refused: a proxy may have checked the other one.
  const [authorization = '', another] = authorizations
  const [, secret] = /^Bearer +([\x21-\x7e]{1,256})$/i.exec(authorization) ?? []
  if (secret === undefined || another !== undefined)
    throw new Refusal('invalid_api_key', 'Invalid API KEY')
  return secret
}

function applyRate({ current, leftMs }: RateCount, max: number, reply: FastifyReply): void {
  const seconds = Math.ceil(leftMs / 1000)
  reply.headers({
    'RateLimit-Limit': max,
    'RateLimit-Remaining': Math.max(0, max - current),
    'RateLimit-Reset': seconds,
  })
  if (current <= max) return
  reply.header('Retry-After', Math.max(1, seconds))
  throw new Refusal(
    'rate_limited',
    reason('Too many requests: at most {max} a minute, try again in {seconds} s', { max, seconds }),
  )
}

function serviceCodeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('serviceCode' in body)) return undefined
  return typeof body.serviceCode === 'string' ? body.serviceCode : undefined
}
