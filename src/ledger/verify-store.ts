import type { Db, Tx } from '../kit/db.ts'
import { rowsOf } from '../kit/rows.ts'
import type { Account } from './decide.ts'

/** Where a posting stands in the order in which they are read. */
export interface PostingPlace {
  clientId: number
  id: string
}

/**
 * From here on `tx` walks along indexes: what is read page by page is in their order already, and
 * helpers that are called for each page take longer to come than the page takes to be read.
 */
export async function walkIndexes(tx: Tx): Promise<void> {
  await tx`
    select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_sort', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`
}

export async function countPostings(tx: Tx): Promise<{ postings: number; entries: number }> {
  const [row] = await tx<{ postings: number; entries: number }>`
    select (select count(*) from ledger_postings) as postings,
      (select count(*) from ledger_entries where version is not null) as entries`
  return row ?? { postings: 0, entries: 0 }
}

/*
 * What follows comes as one text, a line for each row and a tab between values: as rows it would
 * cost several times as much, and there are millions. Whatever words there are cannot pass for a
 * line or a tab: they are JSON, or have none of these.
 */

/** The next `limit` postings after a given one: client, id, resolves, ms, digest, kind and ref. */
export async function readPostings(tx: Tx, from: PostingPlace, limit: number): Promise<string> {
  const [row] = await tx<{ postings: string | null }>`
    select string_agg(concat_ws('\t', client_id, id, coalesce(resolves::text, ''),
      floor(extract(epoch from created_at) * 1000), encode(digest, 'hex'), to_json(kind),
      to_json(ref)), '\n' order by client_id, id) as postings
    from (
      select * from ledger_postings
      where (client_id, id) > (${from.clientId}, ${from.id})
      order by client_id, id
      limit ${limit}
    ) page`
  return row?.postings ?? ''
}

/**
 * The lines of the postings after one and up to another: client, posting, account, currency, amount
 * and, of a merchant's account, version, before, after and hash.
 */
export async function readLines(tx: Tx, from: PostingPlace, to: PostingPlace): Promise<string> {
  const [row] = await tx<{ lines: string | null }>`
    select string_agg(concat_ws('\t', client_id, posting_id, translate(account, '\t\n', '??'),
      translate(currency, '\t\n', '??'), amount, version, before, after, encode(hash, 'hex')),
      '\n' order by client_id, posting_id, line) as lines
    from ledger_entries
    where (client_id, posting_id) > (${from.clientId}, ${from.id})
      and (client_id, posting_id) <= (${to.clientId}, ${to.id})`
  return row?.lines ?? ''
}

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

const placeRows = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Which of these end a hold by something else than the whole of it, or end one again. */
export function readCrookedHolds(tx: Tx, places: PostingPlace[]): Promise<PostingPlace[]> {
  return tx<PostingPlace>`
    select r.client_id as "clientId", r.id
    from ${placeRows(places)} as unclear
    join ledger_postings r on (r.client_id, r.id) = (unclear."clientId", unclear.id)
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
