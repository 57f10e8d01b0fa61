import assert from 'node:assert/strict'
import { summariseAll } from '#backoffice/reports/summarise.ts'
import { openBodySafe } from '#backoffice/webhooks/body-safe.ts'
import { readConfig } from '#base/config/config.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { nextOf, type StatusOf, type TriggerOf } from '#money/lifecycle/transitions.ts'
import { findApprovalBreaks } from '#operations/verify/approvals-store.ts'
import { findAuditBreaks } from '#operations/verify/audit-store.ts'
import { findBatchBreaks } from '#operations/verify/batches-store.ts'
import { findBillBreaks } from '#operations/verify/bills-store.ts'
import { findEventBreaks } from '#operations/verify/events-store.ts'
import { findLimitBreaks } from '#operations/verify/limits-store.ts'
import { findLinkBreaks } from '#operations/verify/links-store.ts'
import { findReconBreaks } from '#operations/verify/recon-store.ts'
import { findSummaryBreaks } from '#operations/verify/summaries-store.ts'
import { findTransactionBreaks } from '#operations/verify/transactions-store.ts'
import { assertSound } from './ledger.ts'
import { type Gateway, isEnd, ordersByTransaction } from './live.ts'

const sandboxKey: SecretKey = readConfig({ MODE: 'sandbox' }).secretKey

interface Proved {
  db: Db
  lab?: { url: string }
  /** What events are sealed with; left out: the sandbox's. */
  secretKey?: SecretKey
}

/**
 * Fails unless the ledger is sound and agrees with transactions, bills, links, batches and events,
 * these are summed up right, every status was reached along the table of transitions, and the lab,
 * if given, has executed the same orders.
 */
export async function assertMoney({ db, lab, secretKey = sandboxKey }: Proved): Promise<void> {
  await assertSound(db)
  assert.deepEqual(await findTransactionBreaks(db), [])
  assert.deepEqual(await findBillBreaks(db), [])
  assert.deepEqual(await findLinkBreaks(db), [])
  assert.deepEqual(await findBatchBreaks(db), [])
  assert.deepEqual(await findEventBreaks(db), [])
  assert.deepEqual(await findApprovalBreaks(db), [])
  assert.deepEqual(await findAuditBreaks(db), [])
  await summariseAll(db)
  assert.deepEqual(await findSummaryBreaks(db), [])
  assert.deepEqual(await findLimitBreaks(db), [])
  assert.deepEqual(await findReconBreaks(db), [])
  assert.deepEqual(await findWrongBalances(db), [])
  assert.deepEqual(await findWrongRefunds(db), [])
  assert.deepEqual(await findWrongIds(db), [])
  assert.deepEqual(await findWrongPaths(db), [])
  assert.deepEqual(await findWrongEvents(db, secretKey), [])
  assert.deepEqual(await findWrongLinkEvents(db), [])
  if (lab !== undefined) assert.deepEqual(await findWrongOrders(db, lab), [])
}

function findWrongBalances(db: Db): Promise<object[]> {
  return db`
    select c.id, f.funds, f.explained, a.balance, h.balance as held, t.earned, t.open
    from clients c
    join ledger_accounts a on a.client_id = c.id and a.kind = 'available'
    join ledger_accounts h on h.client_id = c.id and h.kind = 'held'
    cross join lateral (
      select coalesce(sum(e.amount) filter (
          where p.kind in ('fund', 'withdraw', 'adjust')), 0) as funds,
        coalesce(sum(e.amount) filter (where p.kind = 'explain'), 0) as explained
      from ledger_entries e
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      where e.client_id = c.id and e.account = 'available'
    ) f
    cross join lateral (
      select coalesce(sum(case operation when 'CASHOUT' then amount - fee
        else -(amount + fee) end) filter (where status = 'SUCCESS'), 0) as earned,
        coalesce(sum(amount + fee) filter (
          where completed_at is null and operation <> 'CASHOUT'), 0) as open
      from transactions where client_id = c.id
    ) t
    where h.balance <> t.open or a.balance <> f.funds + f.explained + t.earned - t.open`
}

/**
 * The refunds of a collection, open ones included, sum to what its row says and never exceed it.
 * For a failed collection the limit is the late money that was moved out of suspense.
 */
function findWrongRefunds(db: Db): Promise<object[]> {
  return db`
    with late as (
      select a.client_id, a.transaction_id as id, sum(-e.amount) as amount
      from attempts a
      join ledger_postings p on p.client_id = a.client_id
        and substring(p.ref from '^[0-9a-f-]{36}')::uuid = a.id
      join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
      where p.kind = 'explain' and e.account = 'suspense'
      group by 1, 2
    )
    select o.id, o.operation, o.status, o.amount, o.refunded, coalesce(sum(r.amount), 0) as sent
    from transactions o
    left join late on (late.client_id, late.id) = (o.client_id, o.id)
    left join transactions r on (r.client_id, r.original_id) = (o.client_id, o.id)
      and r.status not in ('FAILED', 'CANCELLED')
      and (o.status <> 'SUCCESS' or r.late_reference is null)
    group by o.client_id, o.id, late.amount
    having o.refunded <> coalesce(sum(r.amount), 0)
      or (o.refunded > 0 and o.operation <> 'CASHOUT')
      or o.refunded > case o.status when 'SUCCESS' then o.amount else coalesce(late.amount, 0) end
      or (late.amount is not null and o.completed_at is null)`
}

function findWrongIds(db: Db): Promise<object[]> {
  return db`
    select t.id, t.external_id, e.external_id as claimed, e.record_id
    from (
      select client_id, id, external_id from transactions
      union all
      select client_id, id, external_id from links
    ) t
    full join external_ids e on (e.client_id, e.record_id) = (t.client_id, t.id)
    where t.external_id is distinct from e.external_id`
}

async function findWrongPaths(db: Db): Promise<string[]> {
  const rows = await db<{ id: string; status: Status; operation: string; steps: Step[] }>`
    select t.id, t.status, t.operation, coalesce(json_agg(json_build_array(
      h.from_status, h.trigger, h.to_status)) filter (where h.record_id is not null), '[]') as steps
    from transactions t
    left join status_history h on (h.client_id, h.record_id) = (t.client_id, t.id)
    group by t.client_id, t.id`
  return rows.flatMap(({ id, status, operation, steps }) => {
    let at: Status = operation === 'BILL' ? 'PROCESSING' : 'PENDING'
    const resource = operation === 'BILL' ? 'bill' : 'transaction'
    for (let walked = 0; walked < steps.length; walked += 1) {
      const [, trigger, to] = steps.find(([from]) => from === at) ?? []
      const next: Status | undefined =
        trigger && nextOf<'transaction' | 'bill'>(resource, at, trigger)?.to
      if (next === undefined || next !== to) return [`${id}: ${JSON.stringify(steps)}`]
      at = next
    }
    return at === status ? [] : [`${id} is ${status}: ${JSON.stringify(steps)}`]
  })
}

/** Every ended transaction has one event with its status; a body with a recharge code is sealed. */
async function findWrongEvents(db: Db, secretKey: SecretKey): Promise<object[]> {
  const safe = openBodySafe(secretKey)
  const rows = await db<EventRow>`
    select t.client_id as "clientId", t.id as "transactionId", t.status, t.amount,
      t.completed_at is not null as "isEnded", t.sealed_token is not null as "hasToken",
      t.status <> 'SUCCESS' and t.late_reference is null as "isUndone",
      e.id, e.body, t.callback_url is not null as "hasAddress", exists (
        select from deliveries d where (d.client_id, d.event_id) = (e.client_id, e.id)
      ) as "isDelivered"
    from transactions t
    left join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
    where t.link_id is null`
  return rows.filter((row) => {
    if (!row.isEnded || row.id === null) return row.isEnded !== (row.id !== null)
    const event = JSON.parse(safe.open({ ...row, id: row.id, body: row.body ?? '' }))
    return (
      event.STATUS !== row.status ||
      event.AMOUNT !== row.amount ||
      (event.FAILURE_CODE === '') !== (row.status === 'SUCCESS') ||
      (row.isUndone && event.PREVIOUS_BALANCE !== event.CURRENT_BALANCE) ||
      row.hasToken !== ((event.TOKEN ?? '') !== '') ||
      (row.hasToken && !row.body?.startsWith('sealed:')) ||
      (row.hasAddress && !row.isDelivered)
    )
  })
}

/** An ended link has one event, with the money of the payment that paid it; its payments none. */
function findWrongLinkEvents(db: Db): Promise<object[]> {
  return db`
    with link_events as (
      select client_id, record_id, body::jsonb as body from events where record_kind = 'link'
    )
    select l.id, l.status, e.body, t.fee, b.before, b.after
    from links l
    left join link_events e on (e.client_id, e.record_id) = (l.client_id, l.id)
    left join transactions t on (t.client_id, t.id) = (l.client_id, l.paid_id)
    left join ledger_postings p on (p.client_id, p.kind, p.ref)
      = (t.client_id, 'collect', t.id::text)
    left join ledger_entries b on (b.client_id, b.posting_id) = (p.client_id, p.id)
      and b.account = 'available'
    where (e.body is null) <> (l.completed_at is null)
      or (e.body - 'PHONE_NUMBER' - 'BALANCE' - 'PREVIOUS_BALANCE' - 'CURRENT_BALANCE'
        - 'FAILURE_CODE' - 'FAILURE_MESSAGE')
        <> jsonb_build_object('id', l.id, 'externalTransactionId', l.external_id,
          'transactionType', 'PAYMENT', 'AMOUNT', l.amount, 'FEE', coalesce(t.fee, 0),
          'STATUS', l.status, 'CUSTOM_DATA', coalesce(l.custom_data, '{}'), 'COMPLETED_AT',
          to_char(l.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      or (e.body ->> 'FAILURE_CODE' = '') <> (l.status = 'SUCCESS')
      or e.body -> 'PHONE_NUMBER' <> to_jsonb(t.phone)
      or e.body -> 'BALANCE' <> e.body -> 'CURRENT_BALANCE'
      or (e.body -> 'PREVIOUS_BALANCE', e.body -> 'CURRENT_BALANCE') <> case
        when t.id is null then (e.body -> 'BALANCE', e.body -> 'BALANCE')
        else (to_jsonb(b.before), to_jsonb(b.after)) end
    union all
    select t.id, t.status, null, null, null, null
    from transactions t
    join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
    where t.link_id is not null`
}

interface EventRow {
  clientId: number
  transactionId: string
  status: string
  amount: number
  isEnded: boolean
  /** It has ended without a debit or credit. */
  isUndone: boolean
  hasToken: boolean
  id: string | null
  body: string | null
  hasAddress: boolean
  isDelivered: boolean
}

type Status = StatusOf<'transaction' | 'bill'>
type Step = [from: Status, trigger: TriggerOf<'transaction' | 'bill'>, to: Status]

/** The lab has executed what succeeded here once, and more only if suspense has got that money. */
async function findWrongOrders(db: Db, lab: { url: string }): Promise<string[]> {
  // Our rows are read first: a transaction that ends between the two reads is in the lab's already.
  const rows = await db<{ id: string; status: string; amount: number; late: number[] }>`
    select t.id, t.status, t.amount, array(
      select abs(e.amount)::integer from attempts a
      join ledger_postings p on p.client_id = a.client_id and p.kind = 'suspend'
        and split_part(p.ref, '/', 1) = a.id::text
      join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
        and e.account = 'suspense'
      where (a.client_id, a.transaction_id) = (t.client_id, t.id)
    ) as late
    from transactions t`
  const orders = await ordersByTransaction({ db, lab } as Gateway)
  return rows.flatMap(({ id, status, amount, late }) => {
    const own = orders.get(id) ?? []
    const executed = own.reduce((sum, order) => sum + order.executed, 0)
    const paid = own.reduce((sum, order) => sum + order.paid, 0)
    const booked = status === 'SUCCESS' ? [amount, ...late] : late
    const isBooked =
      executed === booked.length && paid === booked.reduce((sum, one) => sum + one, 0)
    return isBooked || (!isEnd(status) && executed <= 1)
      ? []
      : [`${id} ${status}: executed ${executed} times, paid ${paid}, booked ${booked.join(' + ')}`]
  })
}
