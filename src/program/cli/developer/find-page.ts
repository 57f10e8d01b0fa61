import { isUuid } from '#base/kit/ids.ts'
import type { Domain } from '#domain.ts'
import { isRequestId } from '#edge/http/request-ids.ts'
import { readEventId } from '#edge/wire/feed.ts'
import type { TransactionId } from '#money/transactions/transaction.ts'
import { type Gateway, refusal, unreachable } from './gateway.ts'

type Rooms = Pick<Domain, 'batches' | 'clients' | 'links' | 'transactions' | 'webhooks'>

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
export async function pageByDatabase(rooms: Rooms, id: string): Promise<Page | undefined> {
  const found = await pageByOurId(rooms, id.toLowerCase())
  if (found !== undefined) return found
  const client = await rooms.clients.idOf(id).catch(() => undefined)
  if (client !== undefined) return { kind: 'client', path: `/dashboard/ops/clients/${client}` }
  // Last, since merchants choose them; one that several use is looked for with all of them.
  const [first, ...others] = await rooms.transactions.ofAllClients.bearersOf(id)
  if (others.length > 0)
    return {
      kind: 'transactions',
      path: `/dashboard/ops/transactions?q=${encodeURIComponent(id)}`,
    }
  return first === undefined ? undefined : operatorsPage(first)
}

async function pageByOurId(rooms: Rooms, id: string): Promise<Page | undefined> {
  if (!isUuid(id)) return undefined
  // Operators see payments of all clients.
  const own = await rooms.transactions.ofAllClients.ownerOf(id)
  if (own !== undefined) return operatorsPage(own)
  if ((await rooms.links.findOfAll(id)) !== undefined) return linkPage(id)
  if ((await rooms.batches.ownerOf(id)) !== undefined)
    return { kind: 'batch', path: `/dashboard/batches/${id}` }
  if ((await rooms.webhooks.events.findOfAll(id)) !== undefined)
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
