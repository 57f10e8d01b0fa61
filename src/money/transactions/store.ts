import { omit, pick } from '#base/kit/objects.ts'
import { columnNameOf, columns, type Db, fragment, type Tx } from '#data/db/db.ts'
import { rowsOf, type Shape } from '#data/db/rows.ts'
import { Fragment } from '#data/db/statement.ts'
import { MovedMeanwhile } from '#money/lifecycle/move.ts'
import type { CarriedColumns } from '#money/lifecycle/store.ts'
import type { AttemptId, Transaction, TransactionId } from './transaction.ts'

/** Every column of a transaction: its name in the code and its type in the database. */
const columnTypes = {
  clientId: 'integer',
  id: 'uuid',
  keyId: 'uuid',
  externalId: 'text',
  operation: 'text',
  serviceCode: 'text',
  amount: 'bigint',
  fee: 'bigint',
  phone: 'text',
  payeeName: 'text',
  subMerchantId: 'text',
  linkId: 'uuid',
  billReference: 'text',
  customData: 'text',
  callbackUrl: 'text',
  successUrl: 'text',
  failureUrl: 'text',
  reason: 'text',
  originalId: 'uuid',
  lateReference: 'text',
  refunded: 'bigint',
  status: 'text',
  attemptId: 'uuid',
  attemptNumber: 'smallint',
  attemptState: 'text',
  attemptedAt: 'timestamptz',
  reference: 'text',
  sealedToken: 'text',
  failure: 'text',
  paymentUrl: 'text',
  polls: 'integer',
  otpTries: 'integer',
  otpWrong: 'integer',
  confirmedAt: 'timestamptz',
  holdId: 'uuid',
  balanceBefore: 'bigint',
  balanceAfter: 'bigint',
  createdAt: 'timestamptz',
  completedAt: 'timestamptz',
  dueAt: 'timestamptz',
  version: 'integer',
} as const satisfies Record<keyof Transaction, Shape[string]>

const ids = pick(columnTypes, ['clientId', 'id'])
// A new transaction leaves the other columns to the defaults of the table.
const newColumns = omit(columnTypes, [
  'refunded',
  'attemptNumber',
  'reference',
  'sealedToken',
  'failure',
  'paymentUrl',
  'polls',
  'otpTries',
  'otpWrong',
  'confirmedAt',
  'completedAt',
  'version',
])
// What may change beside the status. `otp-store.ts` counts the tries of one-time codes.
const changes = pick(columnTypes, [
  'attemptId',
  'attemptNumber',
  'attemptState',
  'attemptedAt',
  'reference',
  'sealedToken',
  'failure',
  'paymentUrl',
  'polls',
  'confirmedAt',
  'refunded',
  'balanceBefore',
  'balanceAfter',
  'dueAt',
  'version',
])

/** The columns of a transaction, under their names in the code. */
export const transactionColumns = columns(Object.keys(columnTypes).map(columnNameOf))

const newColumnNames = new Fragment(Object.keys(newColumns).map(columnNameOf).join(', '))
const newColumnValues = new Fragment(
  Object.keys(newColumns)
    .map((name) => `"${name}"`)
    .join(', '),
)

const idRows = rowsOf(ids)
const externalIdRows = rowsOf(pick(columnTypes, ['clientId', 'externalId']))
const claimRows = rowsOf(pick(columnTypes, ['clientId', 'id', 'externalId']))
const versionRows = rowsOf(pick(columnTypes, ['clientId', 'id', 'version']))
const newRows = rowsOf(newColumns)

/**
 * Claims external ids; returns the ids of the records that got theirs. In the order of the external
 * ids, so that two groups that claim the same ones do not deadlock.
 */
export async function claimExternalIds(
  tx: Tx,
  claims: { clientId: number; externalId: string; id: string }[],
  recordKind: 'transaction' | 'link' = 'transaction',
): Promise<Set<string>> {
  const rows = await tx<{ id: string }>`
    insert into external_ids (client_id, external_id, record_kind, record_id)
    select "clientId", "externalId", ${recordKind}, id
    from ${claimRows(claims)} as c
    order by "clientId", "externalId", id
    on conflict (client_id, external_id) do nothing
    returning record_id as id`
  return new Set(rows.map((row) => row.id))
}

/** Releases the external ids of records that were refused after all. */
export async function releaseExternalIds(
  tx: Tx,
  claims: { clientId: number; externalId: string }[],
): Promise<void> {
  await tx`
    delete from external_ids e
    using ${externalIdRows(claims)} as c
    where (e.client_id, e.external_id) = (c."clientId", c."externalId")`
}

/**
 * Inserts transactions whose external ids were claimed in this database transaction, and their
 * first attempts. A group whose commit seemed lost is run again: what it has recorded then is left
 * as it is, since another transaction (xmin) claimed those external ids.
 */
export async function insertTransactions(tx: Tx, transactions: Transaction[]): Promise<void> {
  await tx`
    with new as (
      select * from ${newRows(transactions)} as t
      where case when "externalId" is null then true else id = (
        select e.record_id from external_ids e
        where (e.client_id, e.external_id) = (t."clientId", t."externalId")
          and e.xmin = pg_current_xact_id()::xid) end
    ), attempted as (
      insert into attempts (client_id, id, transaction_id, number, operation, created_at)
      select "clientId", "attemptId", id, 1, operation, "createdAt" from new
    )
    insert into transactions (${newColumnNames})
    select ${newColumnValues} from new`
}

/** Locks transactions in id order. */
export function lockTransactions(tx: Tx, ids: TransactionId[]): Promise<Transaction[]> {
  const wanted = new Map(ids.map((id) => [`${id.clientId} ${id.id}`, id]))
  return tx<Transaction>`
    select ${transactionColumns}
    from ${idRows([...wanted.values()])} as w ("clientId", wanted)
    join transactions on (client_id, id) = ("clientId", wanted)
    order by client_id, id
    for update of transactions`
}

const changedRows = rowsOf({ ...ids, ...changes })
const changeSet = new Fragment(
  Object.keys(changes)
    .map((name) => `${columnNameOf(name)} = n."${name}"${name === 'version' ? ' + 1' : ''},`)
    .join(' '),
)

const sameVersion = fragment`r.version = n.version`

/** What may change of transactions beside their statuses, for the statement that moves those. */
export function carriedBy(transactions: Map<string, Transaction>): CarriedColumns {
  return {
    shape: changes,
    set: changeSet,
    check: sameVersion,
    valuesOf: ({ clientId, id }) => transactions.get(`${clientId} ${id}`),
  }
}

/**
 * Writes what may change of transactions, statuses excepted: those are the lifecycle's. In id
 * order, as they are locked. Throws unless every row has the version that was read; increments it.
 */
export async function updateTransactions(tx: Tx, transactions: Transaction[]): Promise<void> {
  const [changed] = await tx<{ count: number }>`
    with changed as (
      update transactions r
      set ${changeSet} id = r.id
      from ${changedRows(transactions.toSorted(byId))} as n
      where (r.client_id, r.id) = (n."clientId", n.id) and r.version = n.version
      returning 1
    )
    select count(*) from changed`
  if (changed?.count !== transactions.length)
    throw new MovedMeanwhile('a transaction changed under its lock')
  for (const transaction of transactions) transaction.version += 1
}

function byId(one: TransactionId, other: TransactionId): number {
  return one.clientId - other.clientId || (one.id < other.id ? -1 : 1)
}

/** Locks transactions in id order; throws unless every row has the version that was read. */
export async function lockUnchanged(tx: Tx, transactions: Transaction[]): Promise<void> {
  const [locked] = await tx<{ count: number }>`
    with locked as materialized (
      select
      from ${versionRows(transactions)} as n
      join transactions r on (r.client_id, r.id) = (n."clientId", n.id)
      where r.version = n.version
      order by r.client_id, r.id
      for update of r
    )
    select count(*) from locked`
  if (locked?.count !== transactions.length)
    throw new MovedMeanwhile('a transaction changed meanwhile')
}

export async function insertAttempt(tx: Tx, transaction: Transaction, now: Date): Promise<void> {
  const { clientId, id, attemptId, attemptNumber, operation } = transaction
  await tx`
    insert into attempts (client_id, id, transaction_id, number, operation, created_at)
    values (${clientId}, ${attemptId}, ${id}, ${attemptNumber}, ${operation}, ${now})`
}

export async function findTransaction(
  run: Db | Tx,
  id: TransactionId,
): Promise<Transaction | undefined> {
  const [found] = await run<Transaction>`
    select ${transactionColumns} from transactions
    where client_id = ${id.clientId} and id = ${id.id}`
  return found
}

/** The transactions with these external ids; one that a link has is left out. */
export function findByExternalIds(
  run: Db | Tx,
  wanted: { clientId: number; externalId: string }[],
): Promise<Transaction[]> {
  return run<Transaction>`
    select ${transactionColumns} from transactions
    where (client_id, id) in (
      select e.client_id, e.record_id
      from ${externalIdRows(wanted)} as w
      join external_ids e on (e.client_id, e.external_id) = (w."clientId", w."externalId")
    )`
}

/** The transactions that attempts belong to, in the order of the attempts. */
export async function findByAttempts(
  db: Db,
  attempts: AttemptId[],
): Promise<(Transaction | undefined)[]> {
  const wanted = idRows(attempts)
  const [owners, found] = await Promise.all([
    db<{ attemptId: string; id: string }>`
      select a.id as "attemptId", a.transaction_id as id
      from ${wanted} as w
      join attempts a on (a.client_id, a.id) = (w."clientId", w.id)`,
    db<Transaction>`
      select ${transactionColumns} from transactions
      where (client_id, id) in (
        select a.client_id, a.transaction_id
        from ${wanted} as w
        join attempts a on (a.client_id, a.id) = (w."clientId", w.id)
      )`,
  ])
  const ids = new Map(owners.map((row) => [row.attemptId, row.id]))
  const rows = new Map(found.map((row) => [`${row.clientId} ${row.id}`, row]))
  return attempts.map(({ clientId, id }) => rows.get(`${clientId} ${ids.get(id)}`))
}

/**
 * Takes a transaction out of the sweeper's work; false: it has changed since it was read, and keeps
 * the due date that came with the change. Does not count the version: no decision depends on the
 * due date of a cached row, and each one on an open transaction sets a new date.
 */
export async function clearDue(
  db: Db,
  { clientId, id, version }: Pick<Transaction, 'clientId' | 'id' | 'version'>,
): Promise<boolean> {
  const rows = await db`
    update transactions set due_at = null
    where client_id = ${clientId} and id = ${id} and version = ${version} and completed_at is null
    returning id`
  return rows.length > 0
}
