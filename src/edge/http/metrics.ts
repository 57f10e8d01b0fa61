import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { readVersion } from '#base/kit/version.ts'
import { droppedLogLines } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import type { Http } from './http.ts'
import { countTurnedAway } from './overload.ts'
import type { DatabaseQuestion } from './probes.ts'
import { RateWindows } from './rate-windows.ts'

/** The metrics of a process and how they are read. */
export interface Metrics {
  registry: Registry
  /** The text for Prometheus. */
  read(): Promise<string>
}

interface MetricsParts {
  db: Db
  askDatabase: DatabaseQuestion
}

// The library's: gauges named as counters, sums of others that are there; and names with a type.
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
]

/** Measures every request. */
export function openMetrics(http: Http, { db, askDatabase }: MetricsParts): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  const durations = new Histogram({
    name: 'passerelle_http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  countTurnedAway(http, registry)
  new Counter({
    name: 'passerelle_log_lines_dropped_total',
    help: 'Lines of the log that could not be written to standard output',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(droppedLogLines())
    },
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
  addDatabaseGauge(askDatabase, registry)
  addVersionGauge(registry)
  http.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, never the path: paths contain ids, and each would be a label of its own.
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
    }
    durations.observe(labels, reply.elapsedTime / 1000)
    done()
  })
  return { registry, read: renderRarely(() => registry.metrics()) }
}

/** Counts the requests that were answered but not kept for the merchant's log. */
export function addKeepingMetric(registry: Registry, { dropped }: { dropped(): number }): void {
  new Counter({
    name: 'passerelle_requests_not_kept_total',
    help: 'Answered requests that are missing in the log of requests',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(dropped())
    },
  })
}

/**
 * Shows whether the database answers and can write. A rendering shows the last answer and asks for
 * the next one: it must not wait for a database that is silent.
 */
function addDatabaseGauge(askDatabase: DatabaseQuestion, registry: Registry): void {
  let isUp = true
  const askAgain = async () => {
    isUp = (await askDatabase()) === undefined
  }
  new Gauge({
    name: 'passerelle_database_up',
    help: '1 while the database answers and can write, as of the reading before',
    registers: [registry],
    collect() {
      this.set(isUp ? 1 : 0)
      void askAgain()
    },
  })
}

/** Shows how many processes of each version run. */
function addVersionGauge(registry: Registry): void {
  const { version } = readVersion()
  const versions = new Gauge({
    name: 'passerelle_version_info',
    help: 'How many processes run, by version',
    labelNames: ['version'],
    registers: [registry],
  })
  versions.set({ version }, 1)
}

const rendersMax = 20
const rendersWindowMs = 10_000

/**
 * Renders at most 20 times in 10 s, however often it is called: a rendering takes tens of
 * milliseconds, and callers have no key. Concurrent callers share one, those beyond get the last.
 */
function renderRarely(render: () => Promise<string>): () => Promise<string> {
  const renders = new RateWindows(rendersWindowMs)
  let isRendering = false
  let last = Promise.resolve('')
  return () => {
    if (isRendering || renders.count('metrics').current > rendersMax) return last
    isRendering = true
    last = render().finally(() => {
      isRendering = false
    })
    return last
  }
}

/** Serves /metrics beside other routes. */
export function addMetricsRoute(http: Http, { registry, read }: Metrics): void {
  http.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('Content-Type', registry.contentType)
    return read()
  })
}

/**
 * A server of /metrics alone, for an address that only the monitoring reaches. It is not behind
 * Fastify, so that nothing of the interface can be reached through it.
 */
export function metricsServer({ registry, read }: Metrics): Server {
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  server.requestTimeout = 10_000
  server.headersTimeout = 10_000
  server.setTimeout(30_000)
  return server

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Connection', 'close')
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const text = await read()
      response.setHeader('Content-Type', registry.contentType).end(text)
    } catch {
      response.writeHead(503).end()
    }
  }
}
