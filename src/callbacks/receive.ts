import type { Registry } from '@prometheus-io/client'
import { Counter } from '@prometheus-io/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../catalog/refusal.ts'
import type { Http } from '../http/http.ts'
import type { Clock } from '../kit/clock.ts'
import type { RawCallback } from '../providers/contract.ts'
import type { CallbackReader, Providers } from '../providers/open.ts'
import type { Transactions } from '../transactions/open.ts'

interface Place {
  connector: string
  clientId?: string
  attemptId?: string
  code?: string
}

interface CallbackParts {
  clock: Clock
  providers: Providers
  transactions: Transactions
  registry: Registry
}

/**
 * Where providers report on orders: /callbacks/<connector>/<client>/<attempt>/<code> for each
 * attempt, /callbacks/<connector> for providers that have one address for all and sign. Bodies are
 * kept as raw bytes, because signatures cover bytes.
 */
export async function addCallbacks(http: Http, parts: CallbackParts): Promise<void> {
  const { clock, providers, transactions, registry } = parts
  const results = new Counter({
    name: 'passerelle_callbacks_total',
    help: 'Callbacks of providers, by what became of them',
    labelNames: ['connector', 'result'],
    registers: [registry],
  })
  await http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, bytes),
    )
    for (const url of ['/callbacks/:connector', '/callbacks/:connector/:clientId/:attemptId/:code'])
      scope.route({
        method: ['POST', 'PUT'],
        url,
        schema: { hide: true },
        handler: (request, reply) => receive(request, reply),
      })
  })

  async function receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const place = request.params as Place
    const { connector } = place
    const reader = providers.callbackReaderOf(connector)
    if (reader === undefined) throw new Refusal('not_found', 'No transaction found')
    const { headers } = request
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const callback = { headers, body, now: clock.now() }
    const attempt = place.attemptId === undefined ? signedFor(reader, callback) : attemptAt(place)
    const result =
      attempt === undefined
        ? 'forged'
        : await transactions.receiveCallback(connector, attempt, callback)
    results.inc({ connector, result })
    if (result === 'forged') {
      request.log.warn({ connector, ip: request.ip }, 'a forged callback')
      throw new Refusal('not_found', 'No transaction found')
    }
    // 204 in any case: a provider that gets an error only repeats the callback.
    await reply.code(204).send()
  }

  /** The attempt that an address names; undefined when the address is not one of ours. */
  function attemptAt({ connector, clientId = '', attemptId = '', code = '' }: Place) {
    const isShaped = /^\d{1,9}$/.test(clientId) && /^[0-9a-f-]{36}$/.test(attemptId)
    const subject = { connector, clientId: Number(clientId), attemptId }
    if (!isShaped || !transactions.isGenuineCallback(subject, code)) return undefined
    return { clientId: subject.clientId, id: attemptId }
  }
}

/** The attempt that a callback without an address of its own is about, if it is signed. */
function signedFor(reader: CallbackReader, callback: RawCallback) {
  const claim = reader.readCallback(callback)
  return claim?.trust === 'signed' ? (claim.attempt ?? undefined) : undefined
}
