import type { Db } from '#data/db/db.ts'
import { sees, type Viewer } from '#merchants/clients/scope.ts'
import { findOwn } from '#money/transactions/find.ts'
import { findTransaction } from '#money/transactions/store.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { isLinkId, type Link } from './link.ts'
import { findClientsLink, findLastPayment } from './store.ts'

/** A record of a merchant. */
export type Found = { kind: 'transaction'; transaction: Transaction } | { kind: 'link'; link: Link }

/**
 * Finds a transaction or a link by our id or the caller's external id (or only by the latter),
 * among those that the calling key sees. Others are not found, as if they did not exist. A payment
 * that was begun on a link is the link.
 */
export async function findRecord(
  db: Db,
  caller: Viewer,
  wanted: string | { externalId: string },
): Promise<Found | undefined> {
  const transaction = await findOwn(db, caller, wanted)
  // An external id may look like the id of a link: the record with that id comes first.
  const ours = ourId(wanted)
  if (transaction !== undefined && transaction.linkId !== null) {
    const link = await findClientsLink(db, caller.clientId, { id: transaction.linkId })
    if (link !== undefined) return { kind: 'link', link }
  }
  if (transaction !== undefined && (ours === undefined || transaction.id === ours))
    return { kind: 'transaction', transaction }
  const link = await findOwnLink(db, caller, wanted)
  if (link !== undefined) return { kind: 'link', link }
  return transaction === undefined ? undefined : { kind: 'transaction', transaction }
}

/** A client's link, among those that the calling key sees. */
export async function findOwnLink(
  db: Db,
  caller: Viewer,
  wanted: string | { externalId: string },
): Promise<Link | undefined> {
  const { clientId } = caller
  const id = ourId(wanted)
  const byId = id === undefined ? undefined : await findClientsLink(db, clientId, { id })
  const named = typeof wanted === 'string' ? { externalId: wanted } : wanted
  if (byId !== undefined && sees(caller, byId)) return byId
  const found = await findClientsLink(db, clientId, named)
  return found !== undefined && sees(caller, found) ? found : undefined
}

/** The text in lower case, if it could be one of our ids. */
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
