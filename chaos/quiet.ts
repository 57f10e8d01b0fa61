import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './world.ts'

const quietMsMax = 300_000
const hurryAfterMs = 45_000
const unchangedMsMax = 60_000

/**
 * Waits until nothing more happens by itself: no transaction is open, but for those whose provider
 * is silent, and no webhook waits for its first try. Long pauses between queries of a provider are
 * cut short after 45 seconds; nothing else is touched. Orders of which no provider knows may stay
 * open for ever: when nothing has changed for a minute it gives up. Returns what was still open.
 */
export async function untilQuiet({ db, say, lab }: World): Promise<number> {
  const startedMs = performance.now()
  let last = { open: -1, waiting: -1, atMs: startedMs }
  for (;;) {
    // Orders that nobody has looked at since are brought up to date in the lab's journal.
    await lab.bringUpToDate()
    const { rows } = await db.query<{ open: number; waiting: number }>(`
      select (select count(*) from transactions
          where completed_at is null and phone not in ('770000004', '770000010'))::integer as open,
        (select count(*) from deliveries
          where state = 'pending' and tries = 0)::integer as waiting`)
    const [{ open, waiting } = { open: 0, waiting: 0 }] = rows
    const tookMs = performance.now() - startedMs
    if (open !== last.open || waiting !== last.waiting)
      last = { open, waiting, atMs: performance.now() }
    const isStuck = tookMs > hurryAfterMs && performance.now() - last.atMs > unchangedMsMax
    if ((open === 0 && waiting === 0) || isStuck || tookMs > quietMsMax) return open
    say(`waiting for ${open} open payments and ${waiting} webhooks`)
    if (tookMs > hurryAfterMs)
      await db.query(`update transactions set due_at = now()
        where completed_at is null and due_at > now() + interval '20 seconds'`)
    await sleep(500)
  }
}
