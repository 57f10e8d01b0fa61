import { Refusal } from '../catalog/refusal.ts'
import { QueueFull } from '../db/batch.ts'
import type { Http } from './http.ts'

// Far more than a healthy gateway has under way; beyond it waiting callers only slow each other.
const inFlightMax = 4000
const probes = new Set<string | undefined>(['/livez', '/readyz', '/metrics'])

/** Turns requests away while too many are under way, before anything is spent on them. */
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

/** A full queue of the database's is the same to a caller: busy, and nothing was begun. */
export function queueFullAsRefusal(problem: unknown): unknown {
  return problem instanceof QueueFull ? busy() : problem
}
