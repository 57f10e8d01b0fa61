import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

// A server that does not answer is not waited for: it ends the sessions when it comes back.
const sessionsEndMaxMs = 5_000

/** A pool that survives broken connections, and knows when the server has ended its sessions. */
export class Pool extends pg.Pool {
  readonly #sessions = new Set<pg.PoolClient>()
  readonly #ended = Promise.withResolvers<void>()

  constructor(config: pg.PoolConfig) {
    super(config)
    // An idle connection that breaks is replaced on next use. Without a listener the error event
    // would end the process.
    this.on('error', () => {})
    this.on('connect', (client) => {
      // The same for a connection that breaks between two statements of a transaction.
      client.on('error', () => {})
      this.#sessions.add(client)
      client.once('end', () => {
        this.#sessions.delete(client)
        if (this.ended && this.#sessions.size === 0) this.#ended.resolve()
      })
    })
  }

  /**
   * After `end`, which only asks for it: resolves when the server has ended every session. Who
   * stops the server next would else take them for others that use it.
   */
  async sessionsEnd(): Promise<void> {
    if (this.#sessions.size === 0) return
    await Promise.race([this.#ended.promise, sleep(sessionsEndMaxMs, undefined, { ref: false })])
  }
}
