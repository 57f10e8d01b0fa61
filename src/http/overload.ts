import { Refusal } from '../catalog/refusal.ts'
import { QueueFull } from '../db/batch.ts'
import type { Http } from './http.ts'

// Far more than a healthy process has in progress. Beyond it, requests only delay each other.
const inFlightMax = 4000
const probes = new Set<string | undefined>(['/livez', '/readyz', '/metrics'])

/** Refuses requests with 503 while too many are in progress, before any other work; not probes. */
export function addOverloadShedding(http: Http, limit: number = inFlightMax): void {
  let inFlight = 0
  http.decorateRequest('isTurnedAway', false)
  http.addHook('onRequest', (request, reply, done) => {
    inFlight += 1
    reply.raw.once('close', () => {
      inFlight -= 1
    })
    if (inFlight <= limit || probes.has(request.routeOptions.url)) done()
    else done(busy())
  })
}

function busy(): Refusal {
  return new Refusal('overloaded', 'The service is busy, please try again shortly')
}

/** Turns the error of a full database queue into a refusal, since nothing was begun. */
export function queueFullAsRefusal(problem: unknown): unknown {
  return problem instanceof QueueFull ? busy() : problem
}
