import type { Db, Tx } from '#data/db/db.ts'
import type { PostingKind } from '#money/ledger/postings.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { feePart, ofEntry } from './hours-store.ts'

/** One entry of a merchant's available account, as a bank shows it. */
export interface Movement {
  /** The place in the account: 1 is the first entry. */
  version: number
  at: Date
  postingId: string
  kind: PostingKind
  /** The transaction's id, or the reference of a settlement. */
  ref: string
  amount: number
  /** The part of the amount that is our fee; below zero: paid. */
  fee: number
  before: number
  after: number
  /** Null: it belongs to no transaction. */
  transactionId: string | null
  operation: Transaction['operation'] | null
  serviceCode: string | null
  /** Of the payment, of its link, or of the payment that is sent back. */
  externalId: string | null
  phone: string | null
  /** Of the link that it was paid through. */
  itemName: string | null
  customerName: string | null
}

/** Entries with versions above `above`, up to `upTo`. */
export interface VersionRange {
  clientId: number
  above: number
  upTo: number
}

/** The last entries of a range, newest first. */
export function readLastMovements(
  run: Db | Tx,
  { clientId, above, upTo }: VersionRange,
  limit: number,
): Promise<Movement[]> {
  return run<Movement>`
    select e.version, p.created_at as at, p.id as "postingId", p.kind, p.ref, e.amount,
      ${feePart} as fee, e.before, e.after, t.id as "transactionId", t.operation,
      t.service_code as "serviceCode", t.phone, l.item_name as "itemName",
      l.customer_name as "customerName",
      coalesce(t.external_id, l.external_id, o.external_id) as "externalId"
    from (
      select client_id, version, amount, before, after, posting_id from ledger_entries
      where client_id = ${clientId} and account = 'available'
        and version > ${above} and version <= ${upTo}
      order by version desc
      limit ${limit}
    ) e
    ${ofEntry}
    left join lateral (
      select external_id, link_id from transactions
      where client_id = e.client_id and id = t.original_id
      limit 1
    ) o on true
    left join lateral (
      select external_id, item_name, customer_name from links
      where client_id = e.client_id and id = coalesce(t.link_id, o.link_id)
      limit 1
    ) l on true
    order by e.version desc`
}

/**
 * The version of the last entry before a time: of the last hour that is summed up before it, or the
 * one before the first entry after that hour whose time is not before it. Entries are in the order
 * of their versions; the time of one may be a moment before that of the one before it.
 */
export async function findVersionBefore(
  run: Db | Tx,
  clientId: number,
  time: Date,
): Promise<number> {
  const [row] = await run<{ version: number }>`
    with base as (
      select coalesce(max(last_version), 0) as version from account_hours
      where client_id = ${clientId} and hour = (
        select hour from account_hours
        where client_id = ${clientId} and hour < date_trunc('hour', ${time}::timestamptz)
        order by hour desc limit 1)
    )
    select coalesce((
      select e.version - 1 from ledger_entries e
      cross join lateral (
        select created_at from ledger_postings
        where client_id = e.client_id and id = e.posting_id
        limit 1
      ) p
      where e.client_id = ${clientId} and e.account = 'available'
        and e.version > (select version from base) and p.created_at >= ${time}
      order by e.version
      limit 1
    ), (
      select version from ledger_accounts
      where client_id = ${clientId} and kind = 'available'
    ), 0) as version`
  return row?.version ?? 0
}

/** How many entries of a client's available account are not summed up yet. */
export async function countUnsummed(run: Db | Tx, clientId: number): Promise<number> {
  const [row] = await run<{ count: number }>`
    select a.version - coalesce(s.version, 0) as count
    from ledger_accounts a left join summary_cursors s using (client_id)
    where a.client_id = ${clientId} and a.kind = 'available'`
  return row?.count ?? 0
}

/** The version of the last entry of the available account. */
export async function readVersion(run: Db | Tx, clientId: number): Promise<number> {
  const [row] = await run<{ version: number }>`
    select version from ledger_accounts where client_id = ${clientId} and kind = 'available'`
  return row?.version ?? 0
}

/** The balance after an entry of the available account; 0 before the first. */
export async function readBalanceAt(
  run: Db | Tx,
  clientId: number,
  version: number,
): Promise<number> {
  const [row] = await run<{ after: number }>`
    select after from ledger_entries
    where client_id = ${clientId} and account = 'available' and version = ${version}`
  return row?.after ?? 0
}

/** Money that is set aside for a transaction which has not ended. */
export interface Holding {
  transactionId: string
  externalId: string | null
  operation: Transaction['operation']
  serviceCode: string
  phone: string
  status: Transaction['status']
  /** With the fee. */
  amount: number
  createdAt: Date
}

/** What is held of a client's money, for transactions created before a time; oldest first. */
export function readHoldings(
  db: Db,
  clientId: number,
  belowId: string,
  limit: number,
): Promise<Holding[]> {
  return db<Holding>`
    select id as "transactionId", external_id as "externalId", operation,
      service_code as "serviceCode", phone, status, amount + fee as amount,
      created_at as "createdAt"
    from transactions
    where client_id = ${clientId} and completed_at is null and hold_id is not null
      and id < ${belowId}
    order by id
    limit ${limit}`
}
