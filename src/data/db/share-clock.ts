import type { SystemClock } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { Db } from './db.ts'

const eachMs = 1000

/**
 * Keeps the clock of this process at the time of the database, which all processes share: leases,
 * due dates and the age of orders mean the same to each, whatever the clocks of machines show.
 */
export async function shareClock(db: Db, clock: SystemClock, log: Log) {
  let isAsking = false

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      for (let setMs: number | undefined; setMs === undefined; ) {
        setMs = await setClock(db, clock)
        if (setMs) log.warn({ setMs }, 'the clock differed from that of the database, and was set')
      }
    } finally {
      isAsking = false
    }
  }

  await ask()
  // A database that does not answer now is asked again at the next turn.
  const askLater = () => void ask().catch(() => {})
  clock.onJump(askLater)
  const timer = setInterval(askLater, eachMs)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      clock.onJump(() => {})
    },
  }
}

/** Sets the clock by the database once; returns by how much, undefined: it jumped meanwhile. */
export async function setClock(db: Db, clock: SystemClock): Promise<number | undefined> {
  const compare = clock.compare()
  const [shown] = await db<{ at: Date }>`select clock_timestamp() as at`
  return shown && compare(shown.at)
}
