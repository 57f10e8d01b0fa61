import { checkCellName } from '../cells/own-name.ts'
import { clientIdOf } from '../clients/clients.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/config.ts'
import type { Db, Tx } from '../db/db.ts'
import type { DatabaseServer } from '../db/server.ts'
import { openDatabaseServer } from '../db/server.ts'
import { setClock } from '../db/share-clock.ts'
import type { Domain } from '../domain.ts'
import type { Clock } from '../kit/clock.ts'
import { systemClock } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { openLog } from '../log/log.ts'
import { catchStopSignals } from './signals.ts'

export interface Session {
  config: Config
  clock: Clock
  db: Db
  /** Throws after a signal to stop; long work calls it between two steps. */
  throwIfStopped(): void
}

/**
 * Runs a command's work on the database server of this installation. An embedded one is stopped
 * afterwards, unless it was running before.
 */
export async function onServer<T>(
  work: (server: DatabaseServer, config: Config, throwIfStopped: () => void) => Promise<T>,
): Promise<T> {
  const stopSignal = catchStopSignals()
  const config = loadConfig()
  const server = await openDatabaseServer(config)
  try {
    return await work(server, config, () => {
      if (stopSignal.aborted) throw new Problem(`Stopped by ${stopSignal.reason} before the end.`)
    })
  } finally {
    await server.close()
  }
}

/** Runs a command's work on a database whose schema is up to date. */
export function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return onServer(async (server, config, throwIfStopped) => {
    const { pending } = await server.status()
    if (pending.length > 0)
      throw new Problem('The database is not up to date: run `passerelle migrate up` first.')
    const db = await server.open('custom')
    // A key or address that a command hands out would name the wrong cell.
    await checkCellName(db, config.cell)
    await setClock(db, systemClock)
    return work({ config, clock: systemClock, db, throwIfStopped })
  })
}

/** Runs a command's work with the verbs of the domain, on the providers of this installation. */
export function onDomain<T>(work: (domain: Domain, session: Session) => Promise<T>): Promise<T> {
  return onDatabase(async (session) => {
    // Loaded here: most commands need nothing of it, and it takes half a second.
    const { openInstalledDomain } = await import('../domain.ts')
    const { close, ...domain } = await openInstalledDomain({ ...session, log: openLog('silent') })
    try {
      return await work(domain, session)
    } finally {
      await close()
    }
  })
}

/** Runs a command's work on a client, given by number or name, in one database transaction. */
export function onClient<T>(
  client: string,
  work: (tx: Tx, clientId: number, session: Session) => Promise<T>,
): Promise<T> {
  return onDatabase((session) =>
    session.db.transaction(async (tx) => work(tx, await clientIdOf(tx, client), session)),
  )
}
