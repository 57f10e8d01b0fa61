import type { FastifyRequest } from 'fastify'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked by each open page every few seconds: a line for each would hide the others. */
    isUnlogged?: boolean
  }
  interface FastifyRequest {
    /** The stable code of an error answer, for the log. */
    answeredCode: string | undefined
    /** The sentences of an error answer. */
    answeredMessages: unknown[] | undefined
    /** The transaction or link that the answer is about, for the log. */
    answeredId: string | undefined
  }
}

/**
 * Logs one line per request, except for those that are turned away: a line for each
 * would cost more than the answers, when there is no time for either. The code and the id are
 * read from the answer before it becomes text, so that no endpoint has to hand them over.
 */
export function addRequestLog(http: Http): void {
  http.decorateRequest('answeredCode', undefined)
  http.decorateRequest('answeredMessages', undefined)
  http.decorateRequest('answeredId', undefined)
  http.addHook('preSerialization', (request, _reply, payload, done) => {
    note(request, payload)
    done(null, payload)
  })
  http.addHook('onResponse', (request, reply, done) => {
    if (request.isTurnedAway || request.routeOptions.config.isUnlogged === true) {
      done()
      return
    }
    request.log.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        code: request.answeredCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        clientId: request.caller?.clientId,
        keyId: request.caller?.keyId,
        transactionId: request.answeredId,
      },
      'request',
    )
    done()
  })
}

interface Answer {
  code?: unknown
  message?: unknown
  transactionId?: unknown
  transaction?: { transactionId?: unknown }
}

function note(request: FastifyRequest, payload: unknown): void {
  if (typeof payload !== 'object' || payload === null) return
  const { code, message, transactionId, transaction } = payload as Answer
  const id = transactionId ?? transaction?.transactionId
  if (typeof code === 'string') {
    request.answeredCode = code
    request.answeredMessages = [message].flat()
  }
  if (typeof id === 'string') request.answeredId = id
}
