import type { Config } from '../config/config.ts'
import { systemClock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { openLog } from '../kit/log.ts'
import { bannerOf } from './banner.ts'
import { prepareGround } from './installation.ts'
import { startMember } from './process.ts'
import type { Role } from './role.ts'

export interface Gateway {
  banner: string
  /** Tells whoever watches: as text in a sandbox, as a log line in live mode. */
  say(text: string): void
  /** Finishes what is under way, then ends everything. */
  stop(): Promise<void>
}

/** Starts everything in this process: database, schema, demo data, lab, interface and workers. */
export async function startGateway(config: Config, role: Role): Promise<Gateway> {
  const log = openLog(config.logLevel)
  const clock = systemClock
  // What was opened is closed in the opposite order, whether all of it or only the first part.
  const opened = new AsyncDisposableStack()
  try {
    const { server, db, labUrl, tell } = await prepareGround(config, clock, opened)
    const member = await startMember({ config, role, db, clock, log, labUrl }, opened)
    const { url, publicUrl } = member
    // A worker takes no callbacks.
    if (role !== 'worker') await tell(publicUrl)
    const linkUrl = await member.makeLink()
    const { isEmbedded } = server
    const facts = { url, publicUrl, labUrl, linkUrl, isEmbedded, role, processes: 1 }
    return {
      banner: bannerOf(config, facts),
      say: speaker(config, log),
      stop: () => opened.disposeAsync(),
    }
  } catch (problem) {
    await opened.disposeAsync()
    throw problem
  }
}

/** Speaks to whoever watches. */
export function speaker({ mode }: Config, log: Log): (text: string) => void {
  return (text) => {
    if (mode === 'live') log.info(text)
    else process.stdout.write(`${text}\n`)
  }
}
