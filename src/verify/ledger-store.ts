import type { Db, Tx } from '../db/db.ts'
import { rowsOf } from '../db/rows.ts'
import type { Account } from '../ledger/decide.ts'
import type { PostingKey } from './pages-store.ts'

/**
 * Makes the planner use index scans without sorts or parallel workers for the rest of the
 * transaction. Pages are in the order of an index, and parallel workers take longer to start than a
 * page takes to be read.
 */
export async function preferIndexScans(tx: Tx): Promise<void> {
  await tx`
    select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_sort', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`
}

/** Which postings there are to walk over. */
export interface Scope {
  /** Every client that has a posting or a line. */
  clients: number[]
  /** The first and the last posting's id. */
  first: string
  last: string
  /** The number of merchants' entries, if the accounts' versions are right. */
  entries: number
}

/**
 * Finds the clients one after the other by the index, and the ends of each one's postings: to read
 * all rows for it would take as long as the check itself.
 */
export async function readScope(tx: Tx): Promise<Scope> {
  const [scope] = await tx<Scope>`
    with recursive clients (id) as (
      select least((select min(client_id) from ledger_postings),
        (select min(client_id) from ledger_entries))
      union all
      select least((select min(client_id) from ledger_postings where client_id > c.id),
        (select min(client_id) from ledger_entries where client_id > c.id))
      from clients c where c.id is not null
    )
    select coalesce(array_agg(c.id order by c.id), '{}') as clients,
      coalesce(min(first.id::text), ${zeroId}) as first,
      coalesce(max(last.id::text), ${zeroId}) as last,
      (select coalesce(sum(version), 0)::bigint from ledger_accounts) as entries
    from clients c
    left join lateral (
      select id from ledger_postings where client_id = c.id order by id limit 1
    ) first on true
    left join lateral (
      select id from ledger_postings where client_id = c.id order by id desc limit 1
    ) last on true
    where c.id is not null`
  return scope ?? { clients: [], first: zeroId, last: zeroId, entries: 0 }
}

const zeroId = '00000000-0000-0000-0000-000000000000'

/**
 * The next `limit` entries of a merchant's account after a version, in the order of versions:
 * version, before, amount, after, hash, digest and posting.
 */
export async function readEntries(
  tx: Tx,
  { clientId, account, version }: { clientId: number; account: string; version: number },
  limit: number,
): Promise<string> {
  const [row] = await tx<{ entries: string | null }>`
    select string_agg(concat_ws('\t', version, before, amount, after, encode(hash, 'hex'),
      encode(digest, 'hex'), posting_id), '\n' order by version) as entries
    from (
      select e.version, e.before, e.amount, e.after, e.hash, p.digest, e.posting_id
      from ledger_entries e
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      where e.client_id = ${clientId} and e.account = ${account} and e.version > ${version}
      order by e.version
      limit ${limit}
    ) page`
  return row?.entries ?? ''
}

export function readAccounts(tx: Tx): Promise<Account[]> {
  return tx<Account>`
    select client_id as "clientId", kind, balance, version, encode(head, 'hex') as head
    from ledger_accounts order by client_id, kind`
}

const keyRows = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Which of these postings end a hold in part or a second time, or end what is not a hold. */
export function findWrongHoldEnds(tx: Tx, keys: PostingKey[]): Promise<PostingKey[]> {
  return tx<PostingKey>`
    select r.client_id as "clientId", r.id
    from ${keyRows(keys)} as doubtful
    join ledger_postings r on (r.client_id, r.id) = (doubtful."clientId", doubtful.id)
    left join ledger_postings h on (h.client_id, h.id) = (r.client_id, r.resolves)
    left join ledger_entries he on (he.client_id, he.posting_id) = (h.client_id, h.id)
      and he.account = 'held'
    left join ledger_entries re on (re.client_id, re.posting_id) = (r.client_id, r.id)
      and re.account = 'held'
    where h.kind <> 'hold' or he.amount is distinct from -re.amount or exists (
      select from ledger_postings other
      where (other.client_id, other.resolves) = (r.client_id, r.resolves) and other.id < r.id
    )`
}

/**
 * Counts postings made since a time that do not balance, and accounts changed since then that
 * differ from their last entry.
 */
export async function countRecentBreaks(
  db: Db,
  since: Date,
): Promise<{ unbalanced: number; adrift: number }> {
  const [row] = await db<{ unbalanced: number; adrift: number }>`
    select (
      -- Two currencies: if the total and one of them sum to zero, so does the other.
      select count(*) from ledger_postings p
      cross join lateral (
        select sum(amount) as total, sum(amount) filter (where currency = 'XOF') as xof
        from ledger_entries e where (e.client_id, e.posting_id) = (p.client_id, p.id)
      ) lines
      where p.created_at >= ${since} and (total is distinct from 0 or xof <> 0)
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
