import { after } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { findBalance } from '#money/ledger/store.ts'
import type { BodySafe } from './body-safe.ts'
import type { Ending } from './ending.ts'
import { insertDeliveries, insertEvents, type Job, type NewEvent } from './store.ts'

// The process that commits an event delivers it; another process claims the delivery only once
// this lease has run out.
export const deliveryLeaseMs = 60_000

/**
 * Writes the events of transactions and links that ended, and the deliveries of those events, in
 * the database transaction that ends them: all are committed or none. Returns the deliveries, which
 * the caller starts after the commit.
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
      const event = eventOf(ending, group.length - 1 - index, fallback, now)
      events.push(ending.isSecret ? { ...event, body: safe.seal(event) } : event)
      const url = ending.callbackUrl ?? fallback.callbackUrl
      if (url !== null) jobs.push(newDelivery(event, url, now))
    })
  }
  await Promise.all([
    insertEvents(tx, events),
    jobs.length > 0 ? insertDeliveries(tx, jobs, now) : undefined,
  ])
  return jobs
}

/** A new delivery of an event, leased to this process; `body` is the unsealed one. */
export function newDelivery(
  {
    clientId,
    id: eventId,
    recordId,
    body,
    isCompleted = false,
  }: Pick<NewEvent, 'clientId' | 'id' | 'recordId' | 'body'> & { isCompleted?: boolean },
  url: string,
  now: Date,
): Job {
  const leaseEndsAt = after(now, deliveryLeaseMs)
  const endpoint = new URL(url).origin
  const of = { clientId, id: newId(now), eventId, recordId, isCompleted }
  return { ...of, endpoint, url, body, tries: 0, leaseEndsAt }
}

/** The client's balance, callback address and language, each read only if an ending needs it. */
async function fallbacksOf(tx: Tx, clientId: number, group: Ending[]) {
  const needsBalance = group.some(({ balances }) => balances === null)
  const needsClient = group.some((one) => one.callbackUrl === null || one.hasFailed)
  const balance = needsBalance ? await findBalance(tx, clientId, 'available') : undefined
  const client = needsClient ? await findClient(tx, clientId) : undefined
  const { callbackUrl = null, language = 'fr' } = client ?? {}
  return { balance: balance?.balance ?? 0, callbackUrl, language }
}

function eventOf(
  ending: Ending,
  laterInBatch: number,
  { balance, language }: { balance: number; language: Language },
  now: Date,
): NewEvent {
  const { clientId, keyId, recordKind, recordId, balances } = ending
  const parts = { balances: balances ?? { before: balance, after: balance }, language }
  const body = JSON.stringify(ending.write(parts))
  const record = { keyId, recordKind, recordId }
  return { clientId, id: newId(now), laterInBatch, ...record, body, createdAt: now }
}
