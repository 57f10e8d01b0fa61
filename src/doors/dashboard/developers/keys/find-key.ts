import type { Reviewed } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit, Visit } from '#doors/dashboard/frame/visit.ts'
import { clientHref, clientOf } from '#doors/dashboard/ops/clients/client-screen.ts'
import type { ListedKey } from '#merchants/clients/key-store.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Client } from '#merchants/clients/store.ts'
import { seenOfKey } from './key-parts.ts'

interface Found {
  client: Client
  key: ListedKey
  /** The address of its page. */
  path: string
}

/** The key of an address: of the merchant that is shown, or of the one that an operator names. */
export async function findKey(
  clients: Clients,
  visit: Visit | OpsVisit,
): Promise<Found | undefined> {
  const isOps = visit.client === null
  const client = isOps ? await clientOf(clients, visit) : await clients.find(visit.client.id)
  if (client === undefined) return undefined
  const keys = await clients.keys.list(client.id)
  const key = keys.find(({ id }) => id === visit.part(isOps ? 'key' : 'id'))
  const list = isOps ? clientHref(client.id, 'keys') : '/dashboard/developers/keys'
  return key && { client, key, path: `${list}/${key.id}` }
}

/** What a form about a key shows of it. */
export function reviewedKey(clients: Clients): Reviewed<Visit | OpsVisit, Found> {
  return {
    find: (visit) => findKey(clients, visit),
    facts: (visit, { key }) => seenOfKey(visit, key),
  }
}
