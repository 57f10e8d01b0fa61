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
import type { Feed } from './feed.ts'
import { openFeed } from './feed.ts'
import type { Job } from './store.ts'
import { claimDeliveries } from './store.ts'

export interface WebhookParts {
  db: Db
  clock: Clock
  log: Log
  mode: Mode
  secretKey: Buffer
}

export interface Webhooks {
  /**
   * Writes what merchants are told of what has ended, in the database transaction that ends it;
   * what it answers with is done once that has committed.
   */
  announce(tx: Tx, ended: Ending[], now: Date): Promise<() => void>
  feed: Feed
  /** Starts to look after deliveries that others left behind. */
  sweep(): void
  /** Waits until everything this process has taken on has been tried. */
  drain(): Promise<void>
  stop(): Promise<void>
}

// Few of each endpoint at a time: what is claimed must be sent within its lease.
const perEndpoint = 20

/** Everything that tells merchants what happened: events, deliveries, the feed. */
export function openWebhooks(parts: WebhookParts): Webhooks {
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
    announce: async (tx, ended, now) => {
      const jobs = await announceEnded(tx, ended, safe, now)
      return () => {
        dispatcher.offer(jobs)
        feed.wake(ended.map(({ clientId }) => clientId))
      }
    },
    feed,
    sweep: () => {
      const work = async (jobs: Job[]) => {
        dispatcher.offer(jobs)
        // Who had its full share may have more: looked for at once, until it has enough to do.
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
    drain: dispatcher.drain,
    stop: async () => {
      feed.close()
      await sweeper?.stop()
      await dispatcher.stop()
      pools.close()
    },
  }
}

/** A delivery that can be made; one that was sealed with another key holds up no other. */
function openJob(job: Job, safe: BodySafe, log: Log): Job[] {
  try {
    return [{ ...job, body: safe.open({ ...job, id: job.eventId }) }]
  } catch (problem) {
    log.error({ err: problem, deliveryId: job.id }, 'a delivery cannot be opened')
    return []
  }
}
