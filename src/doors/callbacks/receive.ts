import { Counter, type Registry } from '@prometheus-io/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isUuid } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Http } from '#edge/http/http.ts'
import { otherCellOf } from '#edge/http/other-cell.ts'
import { timeOfRequest } from '#edge/http/request-ids.ts'
import { wrongCell } from '#merchants/cells/wrong-cell.ts'
import type { RawCallback } from '#money/providers/contract.ts'
import type { CallbackReader, Providers } from '#money/providers/open.ts'
import type { Transactions } from '#money/transactions/open.ts'

/** The parameters of a callback's path. */
interface CallbackPath {
  connector: string
  clientId?: string
  attemptId?: string
  code?: string
}

interface CallbackParts {
  providers: Providers
  transactions: Transactions
  registry: Registry
}

/**
 * Adds the routes for callbacks of providers: /callbacks/<connector>/<client>/<attempt>/<code> for
 * each attempt, /callbacks/<connector> for providers that have one address for all orders and sign.
 * Bodies are read as raw bytes, because signatures cover bytes.
 */
export async function addCallbacks(http: Http, parts: CallbackParts): Promise<void> {
  const { providers, transactions, registry } = parts
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
    const path = request.params as CallbackPath
    const { connector } = path
    const reader = providers.callbackReaderOf(connector)
    if (reader === undefined) throw unknown(request)
    const { headers } = request
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const callback = { headers, body, now: timeOfRequest(request) }
    const attempt = path.attemptId === undefined ? signedFor(reader, callback) : attemptAt(path)
    const result =
      attempt === undefined
        ? 'forged'
        : await transactions.receiveCallback(connector, attempt, callback)
    results.inc({ connector, result })
    if (result === 'forged') {
      request.log.warn({ connector, ip: request.ip }, 'a forged callback')
      throw unknown(request)
    }
    // 204 in any case: a provider that gets an error only repeats the callback.
    await reply.code(204).send()
  }

  /** The attempt that a path names; undefined unless its code is ours. */
  function attemptAt(path: CallbackPath) {
    const { connector, clientId = '', attemptId = '', code = '' } = path
    const isWellFormed = /^\d{1,9}$/.test(clientId) && isUuid(attemptId)
    const subject = { connector, clientId: Number(clientId), attemptId }
    if (!isWellFormed || !transactions.isGenuineCallback(subject, code)) return undefined
    return { clientId: subject.clientId, id: attemptId }
  }
}

/** The code of another cell's address cannot be checked here: it may be right there. */
function unknown(request: FastifyRequest): Refusal {
  const other = otherCellOf(request)
  return other === undefined ? new Refusal('not_found', 'No transaction found') : wrongCell(other)
}

/** The attempt that a signed callback names in its body; undefined unless it is signed. */
function signedFor(reader: CallbackReader, callback: RawCallback) {
  const claim = reader.readCallback(callback)
  return claim?.trust === 'signed' ? (claim.attempt ?? undefined) : undefined
}
