import type { Config } from '../config/config.ts'
import { systemClock as clock } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import { openLog } from '../log/log.ts'
import { bannerOf } from './banner.ts'
import type { Installation } from './installation.ts'
import { prepareInstallation } from './installation.ts'
import { checkAddress, withFreePort } from './listen.ts'
import type { Role } from './role.ts'

export interface Gateway {
  banner: string
  /** Prints a text: as it is in a sandbox, as a log line in live mode. */
  say(text: string): void
  /** Finishes the work in progress, then stops everything that was started. */
  stop(): Promise<void>
}

/** What the banner shows of a started gateway. */
interface Started {
  url: string
  publicUrl: string
  metricsUrl: string | null
  /** A payment link to try, in a sandbox. */
  linkUrl: string | null
}

interface StartOrder {
  config: Config
  role: Role
  log: Log
  installation: Installation
  processes: number
}

/**
 * Starts everything: database, schema, demo data, lab, interface and workers. With several
 * processes this one supervises the others and serves nothing itself.
 */
export async function startGateway(
  config: Config,
  role: Role,
  processes: number,
): Promise<Gateway> {
  const log = openLog(config.logLevel, { forPeople: config.mode === 'sandbox' })
  // Closed in reverse order, at the end or when the start fails.
  const opened = new AsyncDisposableStack()
  try {
    // First of all: a start that has no port must not touch what another gateway uses.
    await checkAddress(config)
    const start = processes === 1 ? startHere : startChildren
    // The interface takes half a second to load, and PostgreSQL about as long to recover.
    const loading = processes === 1 ? import('./process.ts') : import('./supervisor.ts')
    const installation = await prepareInstallation({ config, clock, log }, opened)
    await loading
    const started = await start({ config, role, log, installation, processes }, opened)
    const { labUrl, server } = installation
    const facts = { ...started, labUrl, isEmbedded: server.isEmbedded, role, processes }
    return {
      banner: bannerOf(config, facts),
      say: printer(config, log),
      stop: () => opened.disposeAsync(),
    }
  } catch (problem) {
    await opened.disposeAsync()
    throw problem
  }
}

async function startHere(
  { config, role, log, installation }: StartOrder,
  opened: AsyncDisposableStack,
): Promise<Started> {
  const { startProcess } = await import('./process.ts')
  const { db, labUrl, publish } = installation
  const running = await startProcess({ config, role, db, clock, log, labUrl }, opened)
  const { url, publicUrl, metricsUrl } = running
  // Not for a worker, which serves no callbacks.
  if (role !== 'worker') await publish(publicUrl)
  return { url, publicUrl, metricsUrl, linkUrl: await running.makeLink() }
}

async function startChildren(
  { config, role, log, installation, processes }: StartOrder,
  opened: AsyncDisposableStack,
): Promise<Started> {
  const { startSupervisor } = await import('./supervisor.ts')
  const { server, labUrl, publish } = installation
  const { port, publicUrl, payUrl } = await withFreePort(config)
  if (role !== 'worker') await publish(publicUrl)
  const settings = { role, databaseUrl: server.url, labUrl, port, publicUrl, payUrl }
  const supervisor = startSupervisor({ count: processes, settings, log })
  opened.defer(supervisor.stop)
  const { url, metricsUrl, linkUrl } = await supervisor.ready
  return { url, publicUrl, metricsUrl, linkUrl }
}

function printer({ mode }: Config, log: Log): (text: string) => void {
  return (text) => {
    if (mode === 'live') log.info(text)
    else process.stdout.write(`${text}\n`)
  }
}
