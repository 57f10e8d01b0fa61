import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { announceEnded, newDelivery } from './announce.ts'
import type { BodySafe } from './body-safe.ts'
import type { Ending } from './ending.ts'
import { completeEvent, insertDeliveries, type Job, lockEventOf } from './store.ts'

/** A top-up that has got its recharge codes after its event was written. */
export interface LateCodes {
  clientId: number
  recordId: string
  callbackUrl: string | null
  /** In clear text, in the order to type them. */
  token: string
}

/** Writes the events of what ended, and adds codes to events; returns all deliveries of both. */
export async function announceAll(
  tx: Tx,
  { ended, late }: { ended: Ending[]; late: LateCodes[] },
  safe: BodySafe,
  now: Date,
): Promise<Job[]> {
  const jobs = await announceEnded(tx, ended, safe, now)
  return late.length === 0 ? jobs : [...jobs, ...(await addLateCodes(tx, late, safe, now))]
}

/**
 * Adds codes to the events of their top-ups, which were stored sealed for it, and writes another
 * delivery of each, under an id of its own: a receiver that knows the first one would drop it.
 * Returns the deliveries, which the caller starts after the commit.
 */
async function addLateCodes(tx: Tx, late: LateCodes[], safe: BodySafe, now: Date): Promise<Job[]> {
  const jobs: Job[] = []
  for (const { clientId, recordId, callbackUrl, token } of late) {
    const event = await lockEventOf(tx, clientId, recordId)
    if (event === undefined) continue
    const body = JSON.stringify({ ...JSON.parse(safe.open(event)), TOKEN: token })
    const { id } = event
    await completeEvent(tx, { clientId, id, body: safe.seal({ ...event, body }) })
    const url = callbackUrl ?? (await findClient(tx, clientId))?.callbackUrl ?? null
    const completed = { clientId, id, recordId, body, isCompleted: true }
    if (url !== null) jobs.push(newDelivery(completed, url, now))
  }
  if (jobs.length > 0) await insertDeliveries(tx, jobs, now)
  return jobs
}
