import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp, buildProbes } from '#app.ts'
import type { Config } from '#base/config/config.ts'
import type { Log } from '#base/log/log.ts'
import type { Traces } from '#base/traces/open.ts'
import type { DbParts } from '#data/db/db.ts'
import { openInstalledDomain } from '#domain.ts'
import { type Metrics, metricsServer } from '#edge/http/metrics.ts'
import { startReports } from '#money/providers/reports.ts'
import { openSecrets } from '#operations/secrets/open.ts'
import { makeDemoLink } from '#program/sandbox/demo.ts'
import { addDomainMetrics } from './domain-metrics.ts'
import { listenAt, listenerOf, payUrlOf, publicUrlOf } from './listen.ts'
import type { Role } from './role.ts'
import { startWorker } from './worker.ts'

interface ProcessParts extends DbParts {
  config: Config
  role: Role
  log: Log
  /** Null: not a sandbox. */
  labUrl: string | null
}

/** A process of the gateway that serves. */
export interface RunningProcess {
  /** The address it listens on: with PORT=0 the system chose the port. */
  url: string
  publicUrl: string
  metricsUrl: string | null
  /** A payment link to try, in a sandbox. */
  makeLink(): Promise<string | null>
}

// Long enough for a proxy's next probes of /readyz, and for busy callers to get an answer with
// `Connection: close`.
const drainMs = { behindProxy: 2000, alone: 250 }

/** Starts the interface and the background work in this process; `opened` drains and stops them. */
export async function startProcess(
  parts: ProcessParts,
  opened: AsyncDisposableStack,
): Promise<RunningProcess> {
  const { config, role, db, clock, log, labUrl } = parts
  let publicUrl = config.publicUrl
  const traces = await openOwnTraces(parts, opened)
  const { close: closeDomain, ...domain } = await openInstalledDomain({
    config,
    db,
    clock,
    log,
    traces,
    publicUrl: () => publicUrl,
    payUrl: () => payUrlOf(config, publicUrl),
    ...(labUrl === null ? {} : { labUrl }),
  })
  opened.defer(closeDomain)
  const server = { config, db, clock, log }
  const app =
    role === 'worker' ? await buildProbes(server) : await buildApp({ ...server, domain, traces })
  opened.defer(() => app.http.close())
  addDomainMetrics(domain, app.registry)
  opened.defer((await openSecrets({ ...config, db, clock }).startNoting(log)).stop)
  // From here on nothing may end the process because the database is away: it is ready already.
  const url = await listenAt(app.http, config)
  publicUrl = publicUrlOf(config, url)
  const { providers } = domain
  opened.defer(startReports({ db, clock, log, providers, role }).stop)
  const metricsUrl = await serveMetrics(config, app.metrics, opened, url)
  if (role !== 'api') {
    domain.webhooks.startSweeper()
    const worker = await startWorker({ domain, config, db, clock, log, registry: app.registry })
    opened.defer(worker.stop)
  }
  opened.defer(async () => {
    app.drain()
    domain.webhooks.feed.close()
    const isAlone = config.mode === 'sandbox' && config.trustedProxies.length === 0
    await sleep(isAlone ? drainMs.alone : drainMs.behindProxy)
    if (!isAlone) await app.http.untilUnused()
    await app.http.close()
  })
  const hasPage = config.mode === 'sandbox' && role !== 'worker'
  const makeLink = async () => {
    if (!hasPage) return null
    try {
      const link = await makeDemoLink(db, clock, publicUrl)
      return link === undefined ? null : domain.links.urlOf(link)
    } catch (problem) {
      log.warn({ err: problem }, 'the demo link could not be created')
      return null
    }
  }
  return { url, publicUrl, metricsUrl, makeLink }
}

/** Opens traces where a receiver is set; it sends the last spans once everything else is closed. */
async function openOwnTraces(
  { config, clock, log }: ProcessParts,
  opened: AsyncDisposableStack,
): Promise<Traces | undefined> {
  if (!config.sendsTraces) return undefined
  // Imported here, so that a start without traces does not load OpenTelemetry's packages.
  const { openTraces } = await import('#base/traces/open.ts')
  const traces = openTraces({ clock, log })
  opened.defer(traces.stop)
  return traces
}

/** Serves the metrics on their own port, where one is set; their address, or null: nowhere. */
async function serveMetrics(
  { mode, metricsAddress }: Config,
  metrics: Metrics,
  opened: AsyncDisposableStack,
  url: string,
): Promise<string | null> {
  if (metricsAddress === null) return mode === 'sandbox' ? `${url}/metrics` : null
  const server = metricsServer(metrics)
  opened.defer(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `${await listenAt(listenerOf(server), metricsAddress, 'METRICS_ADDRESS')}/metrics`
}
