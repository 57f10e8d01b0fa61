import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import type { DatabaseServer } from '../db/server.ts'
import { openDatabaseServer } from '../db/server.ts'
import type { Clock } from '../kit/clock.ts'
import { systemClock } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { hearSignals } from './signals.ts'

interface Session {
  config: Config
  clock: Clock
  db: Db
  /** Throws when somebody asked to stop; long work calls it between two steps. */
  checkAsked(): void
}

/** Runs a command's work on the database server of this installation, and leaves it as it was. */
export async function onServer<T>(
  work: (server: DatabaseServer, config: Config, checkAsked: () => void) => Promise<T>,
): Promise<T> {
  const asked = hearSignals()
  const config = loadConfig()
  const server = await openDatabaseServer(config)
  try {
    return await work(server, config, () => {
      if (asked.aborted) throw new Problem(`Stopped by ${asked.reason} before the end.`)
    })
  } finally {
    await server.close()
  }
}

/** Runs a command's work on a database that has the whole schema. */
export function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return onServer(async (server, config, checkAsked) => {
    const { pending } = await server.status()
    if (pending.length > 0)
      throw new Problem('The database is not up to date: run `passerelle migrate up` first.')
    return work({ config, clock: systemClock, db: await server.open('custom'), checkAsked })
  })
}
