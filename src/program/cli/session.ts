import { type Config, loadConfig } from '#base/config/config.ts'
import { addressOfCell } from '#base/kit/cell-names.ts'
import { systemClock } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { type Log, openLog } from '#base/log/log.ts'
import type { Db, DbParts } from '#data/db/db.ts'
import { type DatabaseServer, isDatabaseMade, openDatabaseServer } from '#data/db/server.ts'
import { setClock } from '#data/db/share-clock.ts'
import type { Domain } from '#domain.ts'
import { checkCellName } from '#merchants/cells/own-name.ts'
import type { People } from '#merchants/people/open.ts'
import { openRecords, type Records } from '#records.ts'
import { ExitProblem, exitCodes } from './exit.ts'
import { catchStopSignals } from './signals.ts'

export interface Session extends Omit<Records, 'people'> {
  /** Of people no more: without the keys of before, recovery codes would be wrong. */
  users: People['users']
  config: Config
  /** Throws after a signal to stop; long work calls it between two steps. */
  throwIfStopped(): void
}

type ServerWork<T> = (server: DatabaseServer, config: Config, signal: AbortSignal) => Promise<T>

/**
 * Runs a command's work on the database server of this installation. An embedded one is stopped
 * afterwards, unless it was running before.
 */
export async function onServer<T>(work: ServerWork<T>): Promise<T> {
  const config = loadConfig()
  // In another folder a command would make, and tell of, a database that is nobody's.
  if (!(await isDatabaseMade(config)))
    throw new ExitProblem(
      exitCodes.noDatabase,
      `There is no database in ${config.dataDir}: name its folder in DATA_DIR, or another one in ` +
        'DATABASE_URL; `serve` and `migrate up` make a new one.',
    )
  return onNewServer(work)
}

/** Like `onServer`, and makes an embedded database where there is none. */
export async function onNewServer<T>(work: ServerWork<T>): Promise<T> {
  const signal = catchStopSignals()
  const config = loadConfig()
  const server = await openDatabaseServer(config)
  try {
    return await work(server, config, signal)
  } finally {
    await server.close()
  }
}

/** The rooms of most commands, on a database that is open. */
export function roomsOn(db: Db, config: Config) {
  const parts = { config, db, clock: systemClock, log: openLog('silent') }
  const publicUrl = () => addressOfCell(config.publicUrl, config.cell)
  const { people, ...records } = openRecords({ ...parts, publicUrl })
  return { ...records, users: people.users }
}

/** Runs a command's work on a database whose schema is up to date. */
export function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return onParts(({ db, config }, signal) => {
    const throwIfStopped = () => {
      if (signal.aborted) throw new Problem(`Stopped by ${signal.reason} before the end.`)
    }
    return work({ config, ...roomsOn(db, config), throwIfStopped })
  })
}

/** Runs a command's work with the verbs of the domain, on the providers of this installation. */
export function onDomain<T>(work: (domain: Domain) => Promise<T>): Promise<T> {
  return onParts(async (parts) => {
    // Loaded here: most commands need nothing of it, and it takes half a second.
    const { openInstalledDomain } = await import('#domain.ts')
    const { close, ...domain } = await openInstalledDomain(parts)
    try {
      return await work(domain)
    } finally {
      await close()
    }
  })
}

interface Parts extends DbParts {
  config: Config
  log: Log
}

function onParts<T>(work: (parts: Parts, signal: AbortSignal) => Promise<T>): Promise<T> {
  return onServer(async (server, config, signal) => {
    const { pending } = await server.status()
    if (pending.length > 0)
      throw new Problem('The database is not up to date: run `passerelle migrate up` first.')
    const db = await server.open('custom')
    // A key or address that a command hands out would name the wrong cell.
    await checkCellName(db, config.cell)
    await setClock(db, systemClock)
    return work({ config, db, clock: systemClock, log: openLog('silent') }, signal)
  })
}
