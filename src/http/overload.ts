import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../catalog/refusal.ts'
import { QueueFull } from '../db/batch.ts'
import type { Log } from '../log/log.ts'
import { AnswerRate } from './answer-rate.ts'
import type { Http } from './http.ts'
import { quickRefusal } from './quick-refusal.ts'
import { TurnedAway } from './turned-away.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered from memory, so nothing is in progress while its client reads. */
    isPrepared?: boolean
  }
  interface FastifyInstance {
    /** Refuses a request of the interface before it is routed, if there are too many. */
    refuseUnrouted: (request: IncomingMessage, response: ServerResponse) => boolean
  }
  interface FastifyRequest {
    /** No longer counts this request as one in progress, such as a stream that has begun. */
    freePlace: () => void
  }
}

// Far more than a healthy process has in progress. Beyond it, requests only delay each other.
const usualInFlightMax = 4000
// Enough that the database gets many at once, and few enough that each turn of the event loop is
// short: callbacks of providers, and what follows a payment, take several turns each.
const queueMs = 250
const probes = new Set(['/livez', '/readyz', '/metrics'])
// Made once: the stack of each would cost more than the rest of the answer.
const busy = new Refusal('overloaded', 'The service is busy, please try again shortly')

interface SheddingParts {
  log: Log
  /** Those of all answers. */
  headers: Record<string, string>
  newId: () => string
  inFlightMax?: number
}

/**
 * Refuses requests with 503 before any other work: while too many are in progress, or more than
 * this process answers in a quarter of a second, without an idle moment; not probes. Requests
 * outside /api/, which need no key, get a quarter of the places at most. Callbacks of providers
 * are neither counted nor refused: a forged one costs no more than refusing it.
 */
export function addOverloadShedding(
  http: Http,
  { log, headers, newId, inFlightMax: limit = usualInFlightMax }: SheddingParts,
): void {
  const rate = new AnswerRate()
  const refuse = quickRefusal(busy, headers, newId)
  http.decorate('turnedAway', new TurnedAway(log))
  http.addHook('onClose', async () => http.turnedAway.close())
  const inFlight = { api: 0, others: 0 }
  const othersMax = Math.max(1, limit / 4)
  const isFull = () => inFlight.api + inFlight.others >= Math.min(limit, rate.answersIn(queueMs))
  http.decorate('refuseUnrouted', (request, response) => {
    const isRefused = request.url?.startsWith('/api/') === true && isFull()
    if (isRefused) {
      refuse(request, response)
      http.turnedAway.add()
    }
    return isRefused
  })
  http.decorateRequest('isTurnedAway', false)
  http.decorateRequest('freePlace', () => {})
  http.addHook('onRequest', (request, reply, done) => {
    const { url = '', config } = request.routeOptions
    if (probes.has(url) || url.startsWith('/callbacks/')) {
      done()
      return
    }
    const group = url.startsWith('/api/') ? 'api' : 'others'
    if (isFull() || (group === 'others' && inFlight.others >= othersMax)) {
      done(busy)
      return
    }
    if (!config.isPrepared) {
      inFlight[group] += 1
      let isOver = false
      request.freePlace = () => {
        if (isOver) return
        isOver = true
        inFlight[group] -= 1
        rate.countAnswer()
      }
      reply.raw.once('close', request.freePlace)
    }
    done()
  })
  http.addHook('onResponse', (request, _reply, done) => {
    if (request.isTurnedAway) http.turnedAway.add()
    done()
  })
}

/** Turns the error of a full database queue into a refusal, since nothing was begun. */
export function queueFullAsRefusal(problem: unknown): unknown {
  return problem instanceof QueueFull ? busy : problem
}
