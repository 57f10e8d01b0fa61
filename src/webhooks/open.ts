import { webhookSecretsOf } from '../clients/webhook-secrets.ts'
import type { Mode } from '../config/config.ts'
import { batched } from '../db/batch.ts'
import type { Db, Tx } from '../db/db.ts'
import { startSweeper } from '../db/due.ts'
import { cached } from '../kit/cached.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { openGuardedPools } from '../net/guard.ts'
import { announceEnded, deliveryLeaseMs } from './announce.ts'
import type { BodySafe } from './body-safe.ts'
import { openBodySafe } from './body-safe.ts'
import { openDispatcher } from './dispatch.ts'
import type { Ending } from './ending.ts'
import { openFeed } from './feed.ts'
import type { Job } from './store.ts'
import { claimDeliveries } from './store.ts'

interface WebhookParts {
  db: Db
  clock: Clock
  log: Log
  mode: Mode
  secretKey: Buffer
}

// Few deliveries of one endpoint in each claim: what is claimed must be sent within its lease.
const perEndpoint = 20

/** Everything that can be done with events and their deliveries. */
export type Webhooks = ReturnType<typeof openWebhooks>

/** Opens the room. */
export function openWebhooks(parts: WebhookParts) {
  const { db, clock, log, mode, secretKey } = parts
  const pools = openGuardedPools(mode)
  const secretsOf = cached(
    1000,
    batched((clientIds: number[]) => webhookSecretsOf(db, { secretKey, clock }, clientIds)),
  )
  const dispatcher = openDispatcher({ db, clock, log, mode, pools, secretsOf })
  const safe = openBodySafe(secretKey)
  const feed = openFeed({ db, clock, log, safe, deliver: dispatcher.offer })
  const claim = async (now: Date, limit: number) => {
    const jobs = await claimDeliveries(db, {
      now,
      leaseEndsAt: after(now, deliveryLeaseMs),
      perEndpoint,
      limit,
      busy: dispatcher.busy(),
    })
    return jobs.flatMap((job) => openJob(job, safe, log))
  }
  let sweeper: ReturnType<typeof startSweeper> | undefined
  return {
    /**
     * Writes the events of what has ended, in the database transaction that ends it; the function
     * it returns starts their delivery and is to be called after the commit.
     */
    async announce(tx: Tx, ended: Ending[], now: Date): Promise<() => void> {
      const jobs = await announceEnded(tx, ended, safe, now)
      return () => {
        dispatcher.offer(jobs)
        feed.wake(ended.map(({ clientId }) => clientId))
      }
    },
    /** Events as merchants read, follow and replay them. */
    feed,
    /** Starts to claim deliveries that other processes left behind. */
    startSweeper(): void {
      const work = async (jobs: Job[]) => {
        dispatcher.offer(jobs)
        // An endpoint that filled its share may have more due: claim again at once.
        const shares = Map.groupBy(jobs, ({ clientId, endpoint }) => `${clientId} ${endpoint}`)
        if ([...shares.values()].some(({ length }) => length === perEndpoint)) sweeper?.wake()
      }
      sweeper = startSweeper({
        name: 'webhooks',
        claim,
        work,
        batchMax: 1000,
        idleMs: 500,
        clock,
        log,
      })
    },
    /** Resolves once every delivery of this process has been tried. */
    drain: dispatcher.drain,
    async stop(): Promise<void> {
      feed.close()
      await sweeper?.stop()
      await dispatcher.stop()
      pools.close()
    },
  }
}

/** The delivery with its body unsealed; one sealed with another key is skipped, not retried here. */
function openJob(job: Job, safe: BodySafe, log: Log): Job[] {
  try {
    return [{ ...job, body: safe.open({ ...job, id: job.eventId }) }]
  } catch (problem) {
    log.error({ err: problem, deliveryId: job.id }, 'a delivery cannot be opened')
    return []
  }
}
