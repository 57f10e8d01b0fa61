import { Counter, type Registry } from '@prometheus-io/client'
import { Refusal } from '#base/kit/refusal.ts'
import { QueueFull } from '#data/db/batch.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered from memory, so nothing is in progress while its client reads. */
    isPrepared?: boolean
  }
  interface FastifyRequest {
    /** No longer counts this request as one in progress, such as a stream that has begun. */
    freePlace: () => void
  }
}

// More than the shipped proxy sends at a time (deploy/haproxy): beyond it requests only delay each
// other.
const usualInFlightMax = 1000
/** What is asked of a process to see how it is. */
export const probes = new Set(['/livez', '/readyz', '/metrics'])
// Made once: the stack of each would cost more than the rest of the answer.
const busy = new Refusal('overloaded', 'The service is busy, please try again shortly')

/**
 * Refuses requests with 503 before any other work while too many are in progress; not probes.
 * Requests outside /api/, which need no key, get a quarter of the places at most. Callbacks of
 * providers are neither counted nor refused: a forged one costs no more than refusing it.
 */
export function addOverloadShedding(http: Http, limit = usualInFlightMax): void {
  const inFlight = { api: 0, others: 0 }
  const othersMax = Math.max(1, limit / 4)
  http.decorateRequest('isTurnedAway', false)
  http.decorateRequest('freePlace', () => {})
  http.addHook('onRequest', (request, reply, done) => {
    const { url = '', config } = request.routeOptions
    if (probes.has(url) || url.startsWith('/callbacks/')) {
      done()
      return
    }
    const group = url.startsWith('/api/') ? 'api' : 'others'
    const isFull = inFlight.api + inFlight.others >= limit
    if (isFull || (group === 'others' && inFlight.others >= othersMax)) {
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
      }
      reply.raw.once('close', request.freePlace)
    }
    done()
  })
}

/** Counts the requests that are refused because too much is under way. */
export function countTurnedAway(http: Http, registry: Registry): void {
  const turnedAway = new Counter({
    name: 'passerelle_http_turned_away_total',
    help: 'Requests answered 503 because too much was under way',
    registers: [registry],
  })
  http.addHook('onResponse', (request, _reply, done) => {
    if (request.isTurnedAway) turnedAway.inc()
    done()
  })
}

/** Turns the error of a full database queue into a refusal, since nothing was begun. */
export function queueFullAsRefusal(problem: unknown): unknown {
  return problem instanceof QueueFull ? busy : problem
}
