import { findClient } from '../clients/store.ts'
import type { Tx } from '../db/db.ts'
import { after } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import { findBalance } from '../ledger/store.ts'
import type { BodySafe } from './body-safe.ts'
import type { Ending } from './ending.ts'
import type { Job, NewEvent } from './store.ts'
import { insertDeliveries, insertEvents } from './store.ts'

// The process that commits an event delivers it; only if it dies does anybody else take over.
export const deliveryLeaseMs = 60_000

/**
 * Writes the events of what has just ended, and their deliveries, in the database transaction that
 * ends it: there is never one without the other. Answers with the deliveries, which the caller
 * makes once it has committed.
 */
export async function announceEnded(
  tx: Tx,
  ended: Ending[],
  safe: BodySafe,
  now: Date,
): Promise<Job[]> {
  if (ended.length === 0) return []
  const events: NewEvent[] = []
  const jobs: Job[] = []
  for (const [clientId, group] of Map.groupBy(ended, (ending) => ending.clientId)) {
    const fallback = await fallbacksOf(tx, clientId, group)
    group.forEach((ending, index) => {
      const event = eventOf(ending, group.length - 1 - index, fallback.balance, now)
      events.push(ending.isSecret ? { ...event, body: safe.seal(event) } : event)
      const url = ending.callbackUrl ?? fallback.callbackUrl
      if (url !== null) jobs.push(jobOf(event, url, now))
    })
  }
  await Promise.all([
    insertEvents(tx, events),
    jobs.length > 0 ? insertDeliveries(tx, jobs, now) : undefined,
  ])
  return jobs
}

/** What is needed where an ending itself does not say: asked only then. */
async function fallbacksOf(tx: Tx, clientId: number, group: Ending[]) {
  const needsBalance = group.some(({ balances }) => balances === null)
  const needsUrl = group.some(({ callbackUrl }) => callbackUrl === null)
  const balance = needsBalance ? await findBalance(tx, clientId, 'available') : undefined
  const client = needsUrl ? await findClient(tx, clientId) : undefined
  return { balance: balance?.balance ?? 0, callbackUrl: client?.callbackUrl ?? null }
}

function eventOf(ending: Ending, toCome: number, balance: number, now: Date): NewEvent {
  const { clientId, recordKind, recordId, balances } = ending
  const body = JSON.stringify(ending.write(balances ?? { before: balance, after: balance }))
  return { clientId, id: newId(now), toCome, recordKind, recordId, body, createdAt: now }
}

function jobOf({ clientId, id: eventId, body }: NewEvent, url: string, now: Date): Job {
  const leaseEndsAt = after(now, deliveryLeaseMs)
  const endpoint = new URL(url).origin
  return { clientId, id: newId(now), eventId, endpoint, url, body, tries: 0, leaseEndsAt }
}
