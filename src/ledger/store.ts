import type { Db, Tx } from '../kit/db.ts'
import { json } from '../kit/db.ts'
import { genesis } from './chain.ts'
import type { Account, Decided, Known } from './decide.ts'
import { keyOf } from './decide.ts'
import type { MerchantAccount, Posting } from './postings.ts'

/** Opens a new client's accounts, empty. */
export async function insertAccounts(tx: Tx, clientId: number, now: Date): Promise<void> {
  await tx`
    insert into ledger_accounts (client_id, kind, head, updated_at)
    select ${clientId}, kind, decode(${genesis}, 'hex'), ${now}
    from unnest(${['available', 'held']}::text[]) as kind`
}

/** Locks both accounts of each client, in id order. */
export function lockAccounts(tx: Tx, clientIds: number[]): Promise<Account[]> {
  return tx<Account>`
    select client_id as "clientId", kind, balance, version, encode(head, 'hex') as head
    from ledger_accounts
    where client_id = any(${[...new Set(clientIds)]}::integer[])
    order by client_id, kind
    for update`
}

/** What is known of these postings already; call it once the accounts are locked. */
export async function findKnown(
  tx: Tx,
  postings: Posting[],
  isNew: (posting: Posting) => boolean,
): Promise<Known> {
  const others = postings.filter((posting) => !isNew(posting))
  const done = others.length === 0 ? [] : await findDone(tx, others)
  const resolving = postings.filter((posting) => posting.resolves !== null)
  const holds = resolving.length === 0 ? [] : await findHolds(tx, resolving)
  return {
    done: new Set(done.map(keyOf)),
    holds: new Map(
      holds.map(({ clientId, id, amount, isOpen }) => [`${clientId} ${id}`, { amount, isOpen }]),
    ),
  }
}

function findDone(tx: Tx, postings: Posting[]) {
  return tx<{ clientId: number; kind: string; ref: string }>`
    select p.client_id as "clientId", p.kind, p.ref
    from jsonb_to_recordset(${json(
      postings.map(({ clientId, kind, ref }) => ({ client_id: clientId, kind, ref })),
    )}) as wanted (client_id integer, kind text, ref text)
    join ledger_postings p using (client_id, kind, ref)`
}

function findHolds(tx: Tx, resolving: Posting[]) {
  return tx<{ clientId: number; id: string; amount: number; isOpen: boolean }>`
    select h.client_id as "clientId", h.id, e.amount, r.id is null as "isOpen"
    from jsonb_to_recordset(${json(
      resolving.map(({ clientId, resolves }) => ({ client_id: clientId, id: resolves })),
    )}) as wanted (client_id integer, id uuid)
    join ledger_postings h on (h.client_id, h.id) = (wanted.client_id, wanted.id)
      and h.kind = 'hold'
    join ledger_entries e on (e.client_id, e.posting_id) = (h.client_id, h.id)
      and e.account = 'held'
    left join ledger_postings r on (r.client_id, r.resolves) = (h.client_id, h.id)`
}

/** Writes decided postings, their entries and the accounts they moved, in one statement. */
export async function writePostings(
  tx: Tx,
  made: Decided[],
  moved: Account[],
  now: Date,
): Promise<void> {
  await tx`
    with posted as (
      insert into ledger_postings (client_id, id, kind, ref, resolves, created_at, digest)
      select client_id, id, kind, ref, resolves, ${now}, decode(digest, 'hex')
      from jsonb_to_recordset(${json(made.map(postingRow))}) as p (
        client_id integer, id uuid, kind text, ref text, resolves uuid, digest text)
    ), entered as (
      insert into ledger_entries (
        client_id, posting_id, line, account, currency, amount, before, after, version, hash)
      select client_id, posting_id, line, account, currency, amount, before, after, version,
        decode(hash, 'hex')
      from jsonb_to_recordset(${json(made.flatMap(entryRows))}) as e (
        client_id integer, posting_id uuid, line smallint, account text, currency text,
        amount bigint, before bigint, after bigint, version bigint, hash text)
    )
    update ledger_accounts a
    set balance = m.balance, version = m.version, head = decode(m.head, 'hex'),
      updated_at = ${now}
    from jsonb_to_recordset(${json(moved.map(accountRow))}) as m (
      client_id integer, kind text, balance bigint, version bigint, head text)
    where (a.client_id, a.kind) = (m.client_id, m.kind)`
}

function postingRow({ posting, digest }: Decided) {
  const { clientId, id, kind, ref, resolves } = posting
  return { client_id: clientId, id, kind, ref, resolves, digest }
}

function entryRows({ posting, entries }: Decided) {
  return entries.map((entry, line) => ({
    client_id: posting.clientId,
    posting_id: posting.id,
    line,
    ...entry,
  }))
}

function accountRow({ clientId, kind, balance, version, head }: Account) {
  return { client_id: clientId, kind, balance, version, head }
}

/** A merchant account's balance and when it last moved, or undefined for an unknown client. */
export async function findBalance(
  db: Db | Tx,
  clientId: number,
  kind: MerchantAccount,
): Promise<{ balance: number; updatedAt: Date } | undefined> {
  const [row] = await db<{ balance: number; updatedAt: Date }>`
    select balance, updated_at as "updatedAt" from ledger_accounts
    where client_id = ${clientId} and kind = ${kind}`
  return row
}
