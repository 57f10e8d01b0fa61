import type { Db } from '../db/db.ts'
import { findOwn } from '../transactions/find.ts'
import { findTransaction } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Link } from './link.ts'
import { isLinkId } from './link.ts'
import { findClientsLink, findLastPayment } from './store.ts'

interface Caller {
  clientId: number
  keyId: string
}

/** Something that a merchant made. */
export type Found = { kind: 'transaction'; transaction: Transaction } | { kind: 'link'; link: Link }

/**
 * Whatever a caller made under an id, ours or its own (or only its own), with the calling key. What
 * belongs to somebody else is as unknown as what does not exist.
 */
export async function findRecord(
  db: Db,
  caller: Caller,
  wanted: string | { externalId: string },
): Promise<Found | undefined> {
  const transaction = await findOwn(db, caller, wanted)
  // A caller's own name may look like the id of a link: what we named so comes first.
  const ours = ourId(wanted)
  if (transaction !== undefined && (ours === undefined || transaction.id === ours))
    return { kind: 'transaction', transaction }
  const link = await findOwnLink(db, caller, wanted)
  if (link !== undefined) return { kind: 'link', link }
  return transaction === undefined ? undefined : { kind: 'transaction', transaction }
}

/** A client's link, among those made with the calling key. */
export async function findOwnLink(
  db: Db,
  { clientId, keyId }: Caller,
  wanted: string | { externalId: string },
): Promise<Link | undefined> {
  const id = ourId(wanted)
  const byId = id === undefined ? undefined : await findClientsLink(db, clientId, { id })
  const named = typeof wanted === 'string' ? { externalId: wanted } : wanted
  const found = byId?.keyId === keyId ? byId : await findClientsLink(db, clientId, named)
  return found?.keyId === keyId ? found : undefined
}

/** What could be an id of ours, in whatever case it came. */
function ourId(wanted: string | { externalId: string }): string | undefined {
  const id = typeof wanted === 'string' ? wanted.toLowerCase() : ''
  return isLinkId(id) ? id : undefined
}

/** The payment that a link is about now: under way, successful, or the last one. */
export async function paymentOf(db: Db, link: Link): Promise<Transaction | undefined> {
  const { clientId, openId, paidId } = link
  const id = openId ?? paidId ?? (await findLastPayment(db, link))
  return id === undefined ? undefined : findTransaction(db, { clientId, id })
}
