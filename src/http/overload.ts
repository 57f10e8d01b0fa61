import { Refusal } from '../catalog/refusal.ts'
import { QueueFull } from '../db/batch.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered from memory, so nothing is in progress while its client reads. */
    isPrepared?: boolean
  }
}

// Far more than a healthy process has in progress. Beyond it, requests only delay each other.
const inFlightMax = 4000
const probes = new Set(['/livez', '/readyz', '/metrics'])

/**
 * Refuses requests with 503 while too many are in progress, before any other work; not probes.
 * Requests outside /api/, which need no key, get a quarter of the places at most. Callbacks of
 * providers are neither counted nor refused: a forged one costs no more than refusing it.
 */
export function addOverloadShedding(http: Http, limit: number = inFlightMax): void {
  const inFlight = { api: 0, others: 0 }
  const othersMax = Math.max(1, limit / 4)
  http.decorateRequest('isTurnedAway', false)
  http.addHook('onRequest', (request, reply, done) => {
    const { url = '', config } = request.routeOptions
    if (probes.has(url) || url.startsWith('/callbacks/')) {
      done()
      return
    }
    const group = url.startsWith('/api/') ? 'api' : 'others'
    inFlight[group] += 1
    const isRefused =
      inFlight.api + inFlight.others > limit || (group === 'others' && inFlight.others > othersMax)
    const leave = () => {
      inFlight[group] -= 1
    }
    if (config.isPrepared) leave()
    else reply.raw.once('close', leave)
    if (isRefused) done(busy())
    else done()
  })
}

function busy(): Refusal {
  return new Refusal('overloaded', 'The service is busy, please try again shortly')
}

/** Turns the error of a full database queue into a refusal, since nothing was begun. */
export function queueFullAsRefusal(problem: unknown): unknown {
  return problem instanceof QueueFull ? busy() : problem
}
