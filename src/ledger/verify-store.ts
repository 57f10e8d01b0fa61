import type { Db, Tx } from '../kit/db.ts'
import type { Account } from './decide.ts'
import type { Line } from './postings.ts'

export interface StoredLine extends Line {
  clientId: number
  id: string
  kind: string
  ref: string
  resolves: string | null
  createdAt: Date
  digest: string
}

export interface StoredEntry {
  clientId: number
  account: string
  version: number
  before: number
  amount: number
  after: number
  hash: string
  digest: string
  postingId: string
}

/** From here on `tx` sees one moment of the ledger, however long the reading takes. */
export async function freezeView(tx: Tx): Promise<void> {
  await tx`set transaction isolation level repeatable read, read only`
}

export async function countPostings(tx: Tx): Promise<{ postings: number; entries: number }> {
  const [row] = await tx<{ postings: number; entries: number }>`
    select (select count(*) from ledger_postings) as postings,
      (select count(*) from ledger_entries where version is not null) as entries`
  return row ?? { postings: 0, entries: 0 }
}

/** The lines of the next `limit` postings after a given one; no line is a posting without any. */
export function readPostings(
  tx: Tx,
  from: { clientId: number; id: string },
  limit: number,
): Promise<StoredLine[]> {
  return tx<StoredLine>`
    select p.client_id as "clientId", p.id, p.kind, p.ref, p.resolves,
      p.created_at as "createdAt", encode(p.digest, 'hex') as digest,
      e.account, e.currency, e.amount
    from (
      select * from ledger_postings
      where (client_id, id) > (${from.clientId}, ${from.id})
      order by client_id, id
      limit ${limit}
    ) p
    left join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
    order by p.client_id, p.id, e.line`
}

/** The next `limit` entries of merchants' accounts after a given one, account by account. */
export function readEntries(
  tx: Tx,
  from: { clientId: number; account: string; version: number },
  limit: number,
): Promise<StoredEntry[]> {
  return tx<StoredEntry>`
    select e.client_id as "clientId", e.account, e.version, e.before, e.amount, e.after,
      encode(e.hash, 'hex') as hash, encode(p.digest, 'hex') as digest,
      e.posting_id as "postingId"
    from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    where e.version is not null
      and (e.client_id, e.account, e.version) > (${from.clientId}, ${from.account}, ${from.version})
    order by e.client_id, e.account, e.version
    limit ${limit}`
}

export function readAccounts(tx: Tx): Promise<Account[]> {
  return tx<Account>`
    select client_id as "clientId", kind, balance, version, encode(head, 'hex') as head
    from ledger_accounts order by client_id, kind`
}

/** What ends a hold by something else than the whole of it, or ends one that had ended before. */
export function readCrookedHolds(tx: Tx): Promise<{ clientId: number; id: string }[]> {
  return tx<{ clientId: number; id: string }>`
    select r.client_id as "clientId", r.id
    from ledger_postings r
    left join ledger_postings h on (h.client_id, h.id) = (r.client_id, r.resolves)
    left join ledger_entries he on (he.client_id, he.posting_id) = (h.client_id, h.id)
      and he.account = 'held'
    left join ledger_entries re on (re.client_id, re.posting_id) = (r.client_id, r.id)
      and re.account = 'held'
    where r.resolves is not null
      and (h.kind <> 'hold' or he.amount is distinct from -re.amount or exists (
        select from ledger_postings other
        where (other.client_id, other.resolves) = (r.client_id, r.resolves) and other.id < r.id
      ))`
}

/**
 * Postings made since a moment that do not balance, and accounts that disagree with their entries.
 */
export async function countRecentBreaks(
  db: Db,
  since: Date,
): Promise<{ unbalanced: number; adrift: number }> {
  const [row] = await db<{ unbalanced: number; adrift: number }>`
    select (
      select count(*) from (
        select 1 from ledger_postings p
        left join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
        where p.created_at >= ${since}
        group by p.client_id, p.id, e.currency
        having coalesce(sum(e.amount), 1) <> 0
      ) broken
    ) as unbalanced, (
      select count(*) from ledger_accounts a
      left join lateral (
        select after, version, hash from ledger_entries e
        where e.client_id = a.client_id and e.account = a.kind and e.version is not null
        order by version desc limit 1
      ) last on true
      where a.updated_at >= ${since} and a.version > 0
        and (a.balance, a.version, a.head)
          is distinct from (last.after, last.version, last.hash)
    ) as adrift`
  return row ?? { unbalanced: 0, adrift: 0 }
}
