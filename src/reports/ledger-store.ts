import type { Db } from '../db/db.ts'
import type { DigestedPosting } from '../ledger/chain.ts'
import type { Line } from '../ledger/postings.ts'

/** A merchant's account, with the end of its chain. */
export interface AccountRow {
  clientId: number
  clientName: string
  kind: string
  balance: number
  version: number
  head: string
  /** The last version whose hash an anchor holds. */
  anchoredVersion: number
}

/** The accounts of the next clients after one, in their order. */
export function listAccountsOf(
  db: Db,
  { afterClient, clients }: { afterClient: number; clients: number },
): Promise<AccountRow[]> {
  return db<AccountRow>`
    select c.id as "clientId", c.name as "clientName", a.kind, a.balance, a.version,
      encode(a.head, 'hex') as head, a.anchored_version as "anchoredVersion"
    from (select id, name from clients where id > ${afterClient} order by id limit ${clients}) c
    cross join lateral (select * from ledger_accounts where client_id = c.id limit 10) a
    order by c.id, a.kind`
}

/** A line of a posting; the last four are null in an account that no merchant has. */
export interface EntryRow extends Line {
  postingId: string
  before: number | null
  after: number | null
  version: number | null
  hash: string | null
}

/** The entries of a merchant's account with versions below one, newest first. */
export function readChainedEntries(
  db: Db,
  { clientId, account, below }: { clientId: number; account: string; below: number },
  limit: number,
): Promise<EntryRow[]> {
  return db<EntryRow>`
    select posting_id as "postingId", account, currency, amount, before, after, version,
      encode(hash, 'hex') as hash
    from ledger_entries
    where client_id = ${clientId} and account = ${account} and version < ${below}
    order by version desc
    limit ${limit}`
}

interface WalkedEntries {
  found: EntryRow[]
  /** The last posting that was looked at; null: all of them were. */
  floor: string | null
}

/**
 * The lines of an account that no merchant has, of one client's postings below one, newest first.
 * These have no index: so many postings of the client are looked at, along the primary key.
 */
export async function readWalkedEntries(
  db: Db,
  { clientId, account, below }: { clientId: number; account: string; below: string },
  { limit, examined }: { limit: number; examined: number },
): Promise<WalkedEntries> {
  const rows = await db<EntryRow & { isFloor: boolean; isFound: boolean }>`
    select p.id as "postingId", p.is_floor as "isFloor", e.amount is not null as "isFound",
      e.account, e.currency, e.amount, e.before, e.after, e.version, encode(e.hash, 'hex') as hash
    from (
      select id, row_number() over (order by id desc) = ${examined} as is_floor
      from ledger_postings
      where client_id = ${clientId} and id < ${below}
      order by id desc
      limit ${examined}
    ) p
    left join lateral (
      select * from ledger_entries
      where client_id = ${clientId} and posting_id = p.id and account = ${account}
      limit 10
    ) e on true
    where is_floor or e.amount is not null
    order by p.id desc
    limit ${limit + 1}`
  const found = rows.filter(({ isFound }) => isFound)
  return { found, floor: rows.find(({ isFloor }) => isFloor)?.postingId ?? null }
}

export interface PostingRow extends Omit<DigestedPosting, 'lines'> {
  digest: string
}

/** Postings of a client. */
export function readPostingsOf(db: Db, clientId: number, ids: string[]): Promise<PostingRow[]> {
  return db<PostingRow>`
    select p.* from unnest(${ids}::uuid[]) as wanted
    cross join lateral (
      select client_id as "clientId", id, kind, ref, resolves, created_at as "createdAt",
        encode(digest, 'hex') as digest
      from ledger_postings
      where client_id = ${clientId} and id = wanted
      limit 1
    ) p`
}

/** The lines of postings of a client, in their order. */
export function readLinesOf(db: Db, clientId: number, ids: string[]): Promise<EntryRow[]> {
  return db<EntryRow>`
    select e.* from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
    cross join lateral (
      select posting_id as "postingId", account, currency, amount, before, after, version,
        encode(hash, 'hex') as hash, line
      from ledger_entries
      where client_id = ${clientId} and posting_id = wanted.id
      limit 100
    ) e
    order by wanted.place, e.line`
}

/** The client of a posting: asked client by client, since the key begins with the client. */
export async function findPostingClient(db: Db, id: string): Promise<number | undefined> {
  const [found] = await db<{ clientId: number }>`
    select c.id as "clientId" from clients c
    cross join lateral (
      select 1 from ledger_postings where client_id = c.id and id = ${id} limit 1
    ) p
    limit 1`
  return found?.clientId
}

/** The hash of an entry of a merchant's account. */
export async function findHash(
  db: Db,
  { clientId, account, version }: { clientId: number; account: string; version: number },
): Promise<string | undefined> {
  const [row] = await db<{ hash: string }>`
    select encode(hash, 'hex') as hash from ledger_entries
    where client_id = ${clientId} and account = ${account} and version = ${version}`
  return row?.hash
}

/** The transactions that postings refer to: by their own id, or by that of an attempt. */
export async function readTransactionsOf(
  db: Db,
  clientId: number,
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await db<{ ref: string; id: string }>`
    select wanted::text as ref, coalesce(t.id, a.transaction_id) as id
    from unnest(${ids}::uuid[]) as wanted
    left join lateral (
      select id from transactions where client_id = ${clientId} and id = wanted limit 1
    ) t on true
    left join lateral (
      select transaction_id from attempts where client_id = ${clientId} and id = wanted limit 1
    ) a on true
    where coalesce(t.id, a.transaction_id) is not null`
  return new Map(rows.map(({ ref, id }) => [ref, id]))
}
