import type { Mode } from '#base/config/config.ts'
import { cached } from '#base/kit/cached.ts'
import { after } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import { openGuardedPools } from '#base/net/guard.ts'
import { openMerchantNames } from '#base/net/merchant-names.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import type { Traces } from '#base/traces/open.ts'
import { batched } from '#data/db/batch.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import { startSweeper } from '#data/db/due.ts'
import { webhookSecretsOf } from '#merchants/clients/webhook-secrets.ts'
import { deliveryLeaseMs } from './announce.ts'
import { type BodySafe, openBodySafe } from './body-safe.ts'
import { claimDeliveries, firstTurn } from './claim-store.ts'
import { openDeliveryBrowser } from './delivery-browser.ts'
import { DeliveryFigures } from './delivery-figures.ts'
import { openDispatcher } from './dispatch.ts'
import type { Ending } from './ending.ts'
import { openEventBrowser } from './event-browser.ts'
import { openFeed } from './feed.ts'
import { announceAll, type LateCodes } from './late-codes.ts'
import type { Job } from './store.ts'
import { sendTestEvent } from './test-event.ts'

interface WebhookParts extends DbParts {
  log: Log
  mode: Mode
  secretKey: SecretKey
  /** The name servers that are asked for merchants' hosts; left out or empty: the system's. */
  dnsServers?: string[]
  /** Left out: no spans are made. */
  traces?: Traces | undefined
}

// Few deliveries of one endpoint in each claim: a claimed delivery must be sent within its lease.
const claimedPerEndpoint = 20

/** Everything that can be done with events and their deliveries. */
export type Webhooks = ReturnType<typeof openWebhooks>

/** Opens the room. */
export function openWebhooks(parts: WebhookParts) {
  const { db, clock, log, mode, secretKey, dnsServers, traces } = parts
  const pools = openGuardedPools(mode, openMerchantNames(dnsServers))
  const secretsOf = cached(
    1000,
    batched((clientIds: number[]) => webhookSecretsOf(db, { secretKey, clock }, clientIds)),
  )
  const figures = new DeliveryFigures()
  const dispatcher = openDispatcher({ db, clock, log, mode, pools, secretsOf, figures, traces })
  const safe = openBodySafe(secretKey)
  const feed = openFeed({ db, clock, log, safe, deliver: dispatcher.offer })
  const turn = firstTurn()
  const claim = async (now: Date, limit: number) => {
    const leaseEndsAt = after(now, deliveryLeaseMs)
    const busyEndpoints = dispatcher.busyEndpoints()
    const order = { now, leaseEndsAt, perEndpoint: claimedPerEndpoint, limit, busyEndpoints, turn }
    const jobs = await claimDeliveries(db, order)
    return jobs.flatMap((job) => openJob(job, safe, log))
  }
  let sweeper: ReturnType<typeof startSweeper> | undefined
  return {
    /**
     * Writes the events of what ended, and adds codes to events that lack them, in the database
     * transaction that ends it. The function it returns, for after the commit, starts delivery.
     */
    async announce(tx: Tx, ended: Ending[], now: Date, late: LateCodes[] = []) {
      const jobs = await announceAll(tx, { ended, late }, safe, now)
      return () => {
        dispatcher.offer(jobs)
        feed.wake(ended.map(({ clientId }) => clientId))
      }
    },
    figures,
    /** Events as people look through them, newest first. */
    events: openEventBrowser({ db, safe }),
    deliveries: openDeliveryBrowser(db),
    /** Events as merchants read, follow and replay them. */
    feed,
    /** Sends a signed example to an address of a client, and returns what it answers. */
    sendTest: (order: { clientId: number; url: string }) =>
      sendTestEvent({ clock, mode, pools, secretsOf }, order),
    /** Starts to claim deliveries that are due: retries, and those whose lease has run out. */
    startSweeper(): void {
      const work = async (jobs: Job[]) => {
        dispatcher.offer(jobs)
        // It may have more due: claim again at once.
        if (hasFullShare(jobs)) sweeper?.wake()
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
    /** Resolves once every queued delivery of this process has been tried and recorded. */
    drain: dispatcher.drain,
    /** Ends streams and sweeper; resolves once the running tries are recorded. */
    async stop(): Promise<void> {
      feed.close()
      await sweeper?.stop()
      await dispatcher.stop()
      pools.close()
    },
  }
}

/** Whether an endpoint filled its share of a claim. */
function hasFullShare(jobs: Job[]): boolean {
  const shares = Map.groupBy(jobs, ({ clientId, endpoint }) => `${clientId} ${endpoint}`)
  return [...shares.values()].some(({ length }) => length === claimedPerEndpoint)
}

/** The delivery with its body unsealed; none, and a log line, if it is sealed with another key. */
function openJob(job: Job, safe: BodySafe, log: Log): Job[] {
  try {
    return [{ ...job, body: safe.open({ ...job, id: job.eventId }) }]
  } catch (problem) {
    log.error({ err: problem, deliveryId: job.id }, 'a delivery cannot be opened')
    return []
  }
}
