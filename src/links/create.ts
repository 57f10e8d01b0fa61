import { after } from '../kit/clock.ts'
import type { Tx } from '../kit/db.ts'
import { claimExternalIds } from '../transactions/store.ts'
import type { Link } from './link.ts'
import { newLinkId } from './link.ts'
import { insertLinks, lockLinks } from './store.ts'

/** What a merchant asks to be paid for. */
export interface LinkOrder
  extends Omit<
    Link,
    | 'id'
    | 'status'
    | 'attempts'
    | 'openId'
    | 'paidId'
    | 'createdAt'
    | 'expiresAt'
    | 'completedAt'
    | 'dueAt'
  > {
  lifetimeMs: number
}

/** The link that an order becomes when it is recorded. */
export function draftLink({ lifetimeMs, ...order }: LinkOrder, now: Date): Link {
  const expiresAt = after(now, lifetimeMs)
  return {
    ...order,
    id: newLinkId(),
    status: 'PENDING',
    attempts: 0,
    openId: null,
    paidId: null,
    createdAt: now,
    expiresAt,
    completedAt: null,
    dueAt: expiresAt,
  }
}

/** Records links; false for each whose external id is used already. */
export async function recordLinks(tx: Tx, links: Link[]): Promise<boolean[]> {
  const claimed = await claimExternalIds(tx, links, 'link')
  const fresh = links.filter(({ id }) => claimed.has(id))
  if (fresh.length > 0) await insertLinks(tx, fresh)
  // A group whose commit was lost is run again, and finds its own records.
  const found = fresh.length === links.length ? [] : await lockLinks(tx, links)
  const made = new Set(found.map(({ id }) => id))
  return links.map(({ id }) => claimed.has(id) || made.has(id))
}
