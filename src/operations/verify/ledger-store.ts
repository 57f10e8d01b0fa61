import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db, Tx } from '#data/db/db.ts'
import type { Currency } from '#merchants/catalog/countries.ts'
import type { LinkedEntry } from '#money/ledger/chain.ts'
import type { Account } from '#money/ledger/decide.ts'
import type { Line } from '#money/ledger/postings.ts'

/**
 * For the rest of the transaction joins go along an index, row by row: the planner would rather
 * sort all entries, in files.
 */
export async function preferNestedLoops(tx: Tx): Promise<void> {
  await tx`
    select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('enable_memoize', 'off', true)`
}

/** Identifies a posting. */
export interface PostingKey {
  clientId: number
  id: string
}

/** A posting with its lines, as they are stored. */
export interface StoredPosting extends PostingKey {
  kind: string
  ref: string
  resolves: string | null
  createdAt: Date
  digest: string
  lines: Line[]
}

/** An entry of a merchant's account. */
export interface StoredEntry extends LinkedEntry {
  clientId: number
  hash: string
  /** Its posting's. */
  digest: string
  postingId: string
}

/** All postings with their lines, as they lie in the table, which is nearly the order of time. */
export async function* readPostings(tx: Tx): AsyncGenerator<StoredPosting[]> {
  await tx`
    declare postings no scroll cursor for
    select client_id as "clientId", id, kind, ref, resolves, created_at as "createdAt",
      encode(digest, 'hex') as digest, (
        select coalesce(json_agg(json_build_array(account, currency, amount)), '[]')
        from (
          select account, currency, amount from ledger_entries
          where (client_id, posting_id) = (p.client_id, p.id)
          order by line
        ) in_order
      ) as lines
    from ledger_postings p`
  for await (const page of pagesOf(() => tx<PostingRow>`fetch 1000 from postings`))
    yield page.map((row) => ({ ...row, lines: row.lines.map(lineOf) }))
}

type PostingRow = Omit<StoredPosting, 'lines'> & { lines: [string, Currency, number][] }

function lineOf([account, currency, amount]: PostingRow['lines'][number]): Line {
  return { account, currency, amount }
}

/** All entries of merchants' accounts, in the order of their chains. */
export async function* readEntries(tx: Tx): AsyncGenerator<StoredEntry[]> {
  await tx`
    declare entries no scroll cursor for
    select e.client_id as "clientId", account, version, before, amount, after,
      encode(hash, 'hex') as hash, encode(p.digest, 'hex') as digest, posting_id as "postingId"
    from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    where version is not null
    order by e.client_id, account, version`
  yield* pagesOf(() => tx<StoredEntry>`fetch 1000 from entries`)
}

/** The pages of a cursor: while one is checked, the database reads the next. */
async function* pagesOf<Row>(fetch: () => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let page = await fetch(); page.length > 0; ) {
    const next = fetch()
    // The next `await` handles the rejection; this only prevents an unhandledRejection.
    next.catch(() => {})
    // A statement is sent at the end of this turn of the event loop.
    await nextTurn()
    yield page
    page = await next
  }
}

/** The number of merchants' entries, if the accounts' versions are right. */
export async function countEntries(tx: Tx): Promise<number> {
  const [row] = await tx<{ count: number }>`
    select coalesce(sum(version), 0)::bigint as count from ledger_accounts`
  return row?.count ?? 0
}

/** Postings that are gone, and whose lines are not. */
export function findOrphans(tx: Tx, limit: number): Promise<PostingKey[]> {
  return tx<PostingKey>`
    select client_id as "clientId", posting_id as id from ledger_entries
    except
    select client_id, id from ledger_postings
    limit ${limit}`
}

export function readAccounts(tx: Tx): Promise<Account[]> {
  return tx<Account>`
    select client_id as "clientId", kind, balance, version, encode(head, 'hex') as head
    from ledger_accounts order by client_id, kind`
}

/** Postings that end a hold in part or a second time, or end what is not a hold. */
export function findWrongHoldEnds(tx: Tx, limit: number): Promise<PostingKey[]> {
  return tx<PostingKey>`
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
      ))
    limit ${limit}`
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
