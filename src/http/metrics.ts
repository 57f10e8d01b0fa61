import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Db } from '../db/db.ts'
import type { Http } from './http.ts'
import type { PeerProcesses } from './peer-processes.ts'

/**
 * Measures every request and serves /metrics for Prometheus: the metrics of this process, or with
 * `peers` of all processes behind the same port.
 */
export function addMetrics(http: Http, db: Db, peers?: PeerProcesses): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'passerelle_http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const turnedAway = new Counter({
    name: 'passerelle_http_turned_away_total',
    help: 'Requests answered 503 because too much was under way',
    registers: [registry],
  })
  new Gauge({
    name: 'passerelle_database_connections',
    help: 'Database connections of this process, by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(db.load())) this.set({ state }, count)
    },
  })
  http.addHook('onResponse', (request, reply, done) => {
    if (request.isTurnedAway) turnedAway.inc()
    // The route's pattern, never the path: paths contain ids, and each would be a label of its own.
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
    }
    durations.observe(labels, reply.elapsedTime / 1000)
    done()
  })
  http.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('Content-Type', registry.contentType)
    return peers === undefined ? registry.metrics() : peers.readMetrics()
  })
  return registry
}
