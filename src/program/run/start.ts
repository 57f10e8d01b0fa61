import type { Config } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { type Log, openLog } from '#base/log/log.ts'
import { bannerOf } from './banner.ts'
import { prepareInstallation } from './installation.ts'
import { checkAddress } from './listen.ts'
import type { Role } from './role.ts'

export interface Gateway {
  banner: string
  /** Prints a text: as it is in a sandbox, as a log line in live mode. */
  say(text: string): void
  /** Finishes the work in progress, then stops everything that was started. */
  stop(): Promise<void>
}

/** Starts everything: database, schema, demo data, lab, interface and workers. */
export async function startGateway(config: Config, role: Role): Promise<Gateway> {
  const log = openLog(config.logLevel, { forPeople: config.mode === 'sandbox' })
  // Closed in reverse order, at the end or when the start fails.
  const opened = new AsyncDisposableStack()
  try {
    // First of all: a start that has no port must not touch what another gateway uses.
    await checkAddress(config)
    // The interface takes half a second to load, and PostgreSQL about as long to recover.
    const loading = import('./process.ts')
    const installation = await prepareInstallation({ config, clock, log }, opened)
    const { db, labUrl, server, publish } = installation
    const { startProcess } = await loading
    const running = await startProcess({ config, role, db, clock, log, labUrl }, opened)
    // Not for a worker, which serves no callbacks.
    if (role !== 'worker') await publish(running.publicUrl)
    const linkUrl = await running.makeLink()
    const facts = { ...running, linkUrl, labUrl, isEmbedded: server.isEmbedded, role }
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

function printer({ mode }: Config, log: Log): (text: string) => void {
  return (text) => {
    if (mode === 'live') log.info(text)
    else process.stdout.write(`${text}\n`)
  }
}
