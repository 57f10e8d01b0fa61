import { findBatchOwner } from '#backoffice/batches/store.ts'
import { findEventOwner } from '#backoffice/webhooks/operate-store.ts'
import { isUuid } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { isRequestId } from '#edge/http/request-ids.ts'
import { readEventId } from '#edge/wire/feed.ts'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { findLink } from '#money/links/store.ts'
import { findBearers, findOwn } from '#money/transactions/timeline-store.ts'
import type { TransactionId } from '#money/transactions/transaction.ts'
import { type Gateway, refusal, unreachable } from './gateway.ts'

/** A page of the dashboard, and what it shows. */
export interface Page {
  kind: string
  path: string
}

/** The page of an id by what it looks like; undefined: it must be asked for. */
export function pageByForm(id: string): Page | undefined {
  if (id.startsWith('evt_') && readEventId(id) !== undefined)
    return { kind: 'event', path: `/dashboard/developers/events/${id.slice(4)}` }
  if (isRequestId(id))
    return { kind: 'request', path: `/dashboard/developers/requests?q=${encodeURIComponent(id)}` }
  if (/^sm-[0-9a-f]+$/.test(id))
    return { kind: 'sub-merchant', path: `/dashboard/sub-merchants/${id}` }
  return undefined
}

/** The page of a payment, refund, bill or link that the key sees, by our id or the merchant's. */
export async function pageByKey(gateway: Gateway, id: string): Promise<Page | undefined> {
  const answer = await gateway.ask('GET', `/api/v1/transaction/${encodeURIComponent(id)}`)
  if (answer.kind !== 'answered') throw unreachable(gateway)
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw refusal(gateway, answer)
  const { Type, transactionId } = answer.body.transaction
  return Type === 'PAYMENT' ? linkPage(transactionId) : transactionPage(transactionId)
}

/** The page of anything in the database, for who runs the gateway. */
export async function pageByDatabase(db: Db, id: string): Promise<Page | undefined> {
  const found = await pageByOurId(db, id.toLowerCase())
  if (found !== undefined) return found
  const client = await clientIdOf(db, id).catch(() => undefined)
  if (client !== undefined) return { kind: 'client', path: `/dashboard/ops/clients/${client}` }
  // Last, since merchants choose them; one that several use is looked for with all of them.
  const [first, ...others] = await findBearers(db, id, null)
  if (others.length > 0)
    return {
      kind: 'transactions',
      path: `/dashboard/ops/transactions?q=${encodeURIComponent(id)}`,
    }
  return first === undefined ? undefined : operatorsPage(first)
}

async function pageByOurId(db: Db, id: string): Promise<Page | undefined> {
  if (!isUuid(id)) return undefined
  // Operators see payments of all clients.
  const own = await findOwn(db, id)
  if (own !== undefined) return operatorsPage(own)
  if ((await findLink(db, id)) !== undefined) return linkPage(id)
  if ((await findBatchOwner(db, id)) !== undefined)
    return { kind: 'batch', path: `/dashboard/batches/${id}` }
  if ((await findEventOwner(db, id)) !== undefined)
    return { kind: 'event', path: `/dashboard/developers/events/${id}` }
  return undefined
}

function operatorsPage({ id }: TransactionId): Page {
  return { kind: 'transaction', path: `/dashboard/ops/transactions/${id}` }
}

function linkPage(id: string): Page {
  return { kind: 'link', path: `/dashboard/links/${id}` }
}

function transactionPage(id: string): Page {
  return { kind: 'transaction', path: `/dashboard/transactions/${id}` }
}
