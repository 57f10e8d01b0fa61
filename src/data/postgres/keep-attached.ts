import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { countStarts } from '#base/kit/restarts.ts'
import type { Log } from '#base/log/log.ts'

interface Parts {
  session: Client
  /** Opens another session, and starts the server if it does not run; throws when it cannot. */
  attach(signal: AbortSignal): Promise<Client>
  log: Log
}

/**
 * Opens the session again whenever it ends, which starts a server that has died again: at once,
 * then after longer and longer delays. `stop` ends this and gives the session, if one is open.
 */
export function keepAttached({ session, attach, log }: Parts): {
  stop(): Promise<Client | undefined>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  const starts = countStarts()

  async function attachAgain(): Promise<Client | undefined> {
    while (!signal.aborted) {
      const waitMs = starts.endedMs()
      log.error({ waitMs }, 'PostgreSQL has ended and is started again')
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      starts.begin()
      try {
        const opened = await attach(signal)
        log.warn('PostgreSQL runs again')
        return opened
      } catch (problem) {
        if (!signal.aborted) log.error({ err: problem }, 'PostgreSQL could not be started')
      }
    }
    return undefined
  }

  async function keep(): Promise<Client | undefined> {
    let open: Client | undefined = session
    while (open !== undefined) {
      await once(open, 'end', { signal }).catch(() => {})
      if (signal.aborted) return open
      open = await attachAgain()
    }
    return undefined
  }

  const kept = keep()
  return {
    stop: () => {
      stopping.abort()
      return kept
    },
  }
}
