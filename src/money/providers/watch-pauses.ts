import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { nameOf } from './bindings.ts'
import { readPauses } from './pause-store.ts'

export interface PauseWatch {
  /** By the provider's name: `WALLETA_SN`. */
  isPaused(name: string): boolean
  close(): void
}

const refreshMs = 500

/**
 * Caches which providers are paused; a change made by any process is seen within a second.
 * `onEnd` is called with the name of a provider whose pause has ended.
 */
export async function watchPauses(
  db: Db,
  log: Log,
  onEnd: (name: string) => void = () => {},
): Promise<PauseWatch> {
  let paused = new Set<string>()
  async function refresh(): Promise<void> {
    const before = paused
    paused = new Set((await readPauses(db)).map(nameOf))
    for (const name of before) if (!paused.has(name)) onEnd(name)
  }
  await refresh()
  const timer = setInterval(() => {
    refresh().catch((problem: unknown) => log.warn({ err: problem }, 'pauses could not be read'))
  }, refreshMs)
  timer.unref()
  return {
    isPaused: (name) => paused.has(name),
    close: () => clearInterval(timer),
  }
}
