/*
 * Reads pages of postings and of their lines as columns: each column of a page is one value.
 *
 * - Gains: a posting with its lines takes 7 µs of the main thread, as rows 19. The rest of `verify`
 *   takes 11 (docs/decisions/0028).
 * - Must never: let a stored text pass for two values, or lose one. Texts are joined with NUL,
 *   which none can contain; other values contain neither commas nor line ends. Null becomes a value
 *   that no valid row has, so that no column is shorter than the others.
 * - Must never: sort, which took a fifth of the whole time. Each client is looked up in the index
 *   by a lateral join, which returns rows in the order of keys. `pages.ts` stops when they are not.
 * - Tested against: the same rows, selected as rows (pages.test.ts).
 * - Decisions: docs/decisions/0027, 0028
 */
import type { Tx } from '../db/db.ts'

/** Identifies a posting, and orders postings: by client, then by id. */
export interface PostingKey {
  clientId: number
  id: string
}

/** Postings, in the order of their keys. */
export interface PostingColumns {
  count: number
  /** A line for each: client, id and, if there is one, the hold it resolves, joined by commas. */
  keys: string
  /** As `timestampAt` reads them. */
  times: Buffer
  /** Hexadecimal, joined by commas. */
  digests: string
  /** As `readTexts` reads them, as are the next. */
  kinds: Buffer
  refs: Buffer
}

/** A range of postings. */
export interface PostingRange {
  clients: number[]
  /** The first and the last id, both included. */
  from: string
  to: string
  /** Only keys after the first and up to the second, which is included. */
  after: PostingKey
  upTo: PostingKey
}

/** The first `limit` postings of a range, or undefined if there are none. */
export async function readPostings(
  tx: Tx,
  { clients, from, to, after }: Omit<PostingRange, 'upTo'>,
  limit: number,
): Promise<PostingColumns | undefined> {
  const [page] = await tx<PostingColumns | { keys: null }>`
    select count(*) as count, string_agg(concat_ws(',', client_id, id, resolves), '\n') as keys,
      string_agg(timestamptz_send(coalesce(created_at, 'epoch')), '') as times,
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
  return page === undefined || page.keys === null ? undefined : page
}

/** Lines, in the order of their postings. Those of merchants' accounts are entries of a chain. */
export interface LineColumns {
  /** A line for each: client and posting, joined by a comma. */
  keys: string
  accounts: Buffer
  currencies: Buffer
  amounts: Buffer
  /** Joined by commas; empty for a line that is not an entry. */
  versions: string
  /** Only of entries, as are the next two. */
  befores: Buffer
  afters: Buffer
  /** Hexadecimal, joined by commas. */
  hashes: string
}

/** The lines of a range of postings, or undefined if there are none. */
export async function readLines(
  tx: Tx,
  { clients, from, to, after, upTo }: PostingRange,
): Promise<LineColumns | undefined> {
  const [page] = await tx<LineColumns | { keys: null }>`
    select string_agg(concat_ws(',', client_id, posting_id), '\n') as keys,
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
  return page === undefined || page.keys === null ? undefined : page
}
