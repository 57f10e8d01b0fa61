import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { type DeliverySummary, findDeliveries } from './operate-store.ts'

const pauseMs = 100

/**
 * What became of deliveries that were just made: waits until each has been tried once, at most for
 * a time. Those that were not tried by then have no tries.
 */
export async function untilTried(
  db: Db,
  clientId: number,
  ids: string[],
  withinMs: number,
): Promise<DeliverySummary[]> {
  const startedMs = monotonicMs()
  for (;;) {
    const found = await findDeliveries(db, clientId, ids)
    const isOver = found.every(({ tries }) => tries > 0) || monotonicMs() - startedMs > withinMs
    if (isOver) return found
    await sleep(pauseMs)
  }
}
