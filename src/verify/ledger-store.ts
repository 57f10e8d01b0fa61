import type { Db, Tx } from '../db/db.ts'
import { rowsOf } from '../db/rows.ts'
import type { Account } from '../ledger/decide.ts'

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

/** What there is to be walked through. */
export interface Scope {
  /** Everybody whom a posting or a line is of. */
  clients: number[]
  /** The first and the last posting's id. */
  first: string
  last: string
  /** How many entries there are if accounts are right. */
  entries: number
}

/**
 * Asks indexes for one client after the other, and for the ends of their postings: to go through
 * all rows for it would take as long as to prove them.
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
      coalesce(min(first.id::text), ${nowhere}) as first,
      coalesce(max(last.id::text), ${nowhere}) as last,
      (select coalesce(sum(version), 0)::bigint from ledger_accounts) as entries
    from clients c
    left join lateral (
      select id from ledger_postings where client_id = c.id order by id limit 1
    ) first on true
    left join lateral (
      select id from ledger_postings where client_id = c.id order by id desc limit 1
    ) last on true
    where c.id is not null`
  return scope ?? { clients: [], first: nowhere, last: nowhere, entries: 0 }
}

const nowhere = '00000000-0000-0000-0000-000000000000'

/*
 * What follows comes as columns, each in one value: as rows it would cost several times as much,
 * and there are millions. Nobody can make one value pass for two: texts are joined by zero bytes,
 * which they cannot have, and all else has neither commas nor line ends. Where nothing is stored
 * stands what no true row has: no column is shorter than the others.
 *
 * One client after the other is looked for in the index, which gives rows in the order of places.
 * To have them sorted as well would cost a fifth of the whole; whoever reads them sees whether they
 * are in order.
 */

/** Postings, in the order of their places. */
export interface PostingColumns {
  count: number
  /** Client, id and, if there is one, what it resolves: with commas, each in a line. */
  places: string
  moments: Buffer
  /** Hexadecimal digits, with commas. */
  digests: string
  kinds: Buffer
  refs: Buffer
}

/** Where postings are looked for. */
export interface PostingRange {
  clients: number[]
  /** Ids from one to another, both included. */
  from: string
  to: string
  /** Of those what comes after one place and up to another. */
  after: PostingPlace
  upTo: PostingPlace
}

/** The first `limit` postings of a range, if there are any. */
export async function readPostings(
  tx: Tx,
  { clients, from, to, after }: Omit<PostingRange, 'upTo'>,
  limit: number,
): Promise<PostingColumns | undefined> {
  const [page] = await tx<PostingColumns | { places: null }>`
    select count(*) as count, string_agg(concat_ws(',', client_id, id, resolves), '\n') as places,
      string_agg(timestamptz_send(coalesce(created_at, 'epoch')), '') as moments,
      string_agg(coalesce(encode(digest, 'hex'), ''), ',') as digests,
      string_agg(textsend(coalesce(kind, '')), '\\x00') as kinds,
      string_agg(textsend(coalesce(ref, '')), '\\x00') as refs
    from (
      select p.* from unnest(${clients}::integer[]) as c (id)
      cross join lateral (
        select * from ledger_postings
        where client_id = c.id and id between ${from} and ${to}
          and (client_id, id) > (${after.clientId}, ${after.id})
        order by id
        limit ${limit}
      ) p
      limit ${limit}
    ) page`
  return page === undefined || page.places === null ? undefined : page
}

/** Lines, in the order of their postings; of merchants' accounts they are entries, too. */
export interface LineColumns {
  /** Client and posting: with a comma, each in a line. */
  places: string
  accounts: Buffer
  currencies: Buffer
  amounts: Buffer
  /** With commas; empty where a line is no entry. */
  versions: string
  /** Of entries only, as are the next two. */
  befores: Buffer
  afters: Buffer
  /** Hexadecimal digits, with commas. */
  hashes: string
}

/** The lines of a range of postings, if there are any. */
export async function readLines(
  tx: Tx,
  { clients, from, to, after, upTo }: PostingRange,
): Promise<LineColumns | undefined> {
  const [page] = await tx<LineColumns | { places: null }>`
    select string_agg(concat_ws(',', client_id, posting_id), '\n') as places,
      string_agg(textsend(coalesce(account, '')), '\\x00') as accounts,
      string_agg(textsend(coalesce(currency, '')), '\\x00') as currencies,
      string_agg(int8send(coalesce(amount, 0)), '') as amounts,
      string_agg(coalesce(version::text, ''), ',') as versions,
      coalesce(string_agg(int8send(coalesce(before, -1)), '') filter (where is_entry), '')
        as befores,
      coalesce(string_agg(int8send(coalesce(after, -1)), '') filter (where is_entry), '')
        as afters,
      coalesce(string_agg(coalesce(encode(hash, 'hex'), ''), ',') filter (where is_entry), '')
        as hashes
    from (
      select l.*, l.version is not null as is_entry from unnest(${clients}::integer[]) as c (id)
      cross join lateral (
        select * from ledger_entries
        where client_id = c.id and posting_id between ${from} and ${to}
          and (client_id, posting_id) > (${after.clientId}, ${after.id})
          and (client_id, posting_id) <= (${upTo.clientId}, ${upTo.id})
        order by posting_id, line
      ) l
    ) page`
  return page === undefined || page.places === null ? undefined : page
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
      -- There are two currencies: when all of it and one of them come to nothing, so do both.
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
