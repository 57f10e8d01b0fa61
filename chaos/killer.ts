import type { GatewayProcess } from './gateway-process.ts'
import type { Journal } from './journal.ts'
import type { PostgresServer } from './postgres-server.ts'

/** How long something took to be ready again after what was done to it. */
export interface Recovery {
  what: string
  atMs: number
  readyMs: number
}

/** Does harm, by recorded pids only, and writes down what was done when. */
export interface Killer {
  recoveries: Recovery[]
  note(what: string, ...details: unknown[]): void
  /** Kills a gateway process, starts it again and waits until it is ready. */
  killGateway(gateway: GatewayProcess): Promise<Recovery>
  /** Kills PostgreSQL, starts it again and waits until the gateways are ready. */
  killPostgres(postgres: PostgresServer, gateways: GatewayProcess[]): Promise<Recovery>
  /** Writes down how long `until` takes from now. */
  measure(what: string, until: () => Promise<unknown>): Promise<Recovery>
  close(): void
}

export function openKiller(journal: Journal): Killer {
  const recoveries: Recovery[] = []

  function note(what: string, ...details: unknown[]): void {
    journal.append([what, Date.now(), ...details])
    journal.flush()
  }

  async function measure(what: string, until: () => Promise<unknown>): Promise<Recovery> {
    const atMs = Date.now()
    const startedMs = performance.now()
    await until()
    const recovery = { what, atMs, readyMs: Math.round(performance.now() - startedMs) }
    recoveries.push(recovery)
    note('ready', what, recovery.readyMs)
    return recovery
  }

  return {
    recoveries,
    note,
    measure,
    killGateway: async (gateway) => {
      note('killed', gateway.name, gateway.pid())
      await gateway.end('SIGKILL')
      return measure('gateway', async () => {
        await gateway.start()
        note('started', gateway.name, gateway.pid())
        await gateway.untilReady()
      })
    },
    killPostgres: async (postgres, gateways) => {
      note('killed', 'postgres', postgres.pid())
      await postgres.end('SIGKILL')
      return measure('postgres', async () => {
        await postgres.start()
        note('started', 'postgres', postgres.pid())
        // One that has ended because the database was away is told by its log.
        for (const gateway of gateways) await gateway.untilReady()
      })
    },
    close: () => journal.close(),
  }
}
