import { Refusal } from '#base/kit/refusal.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { adjust } from '#money/ledger/adjustment.ts'
import { settle } from '#money/ledger/settlement.ts'
import { findBalance } from '#money/ledger/store.ts'
import { isFinal } from '#money/lifecycle/transitions.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { Approval, Done, Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'

/** An order that can be carried out as things are now. */
export interface Prepared {
  /** The order as it is kept: with what was seen, and without anything in clear that is secret. */
  order: Order
  amount: number
  seen: Approval['seen']
}

/** An order that was carried out in a database transaction. */
export interface Performed extends Prepared {
  outcome: Record<string, unknown>
  /** What is left to do once it is committed; it may be killed, and a sweeper does it then. */
  finish(): Promise<Done>
}

/** Refuses to do another thing than a person has seen. Left out: nobody has seen anything. */
type SeenBefore = Pick<Prepared, 'amount' | 'seen'>

/**
 * What would be done, found out by doing it in a database transaction that is undone. So nothing
 * can be checked for a preview and not be checked, under the locks, when it is done.
 */
export async function prepare(context: ApprovalContext, order: Order): Promise<Prepared> {
  const {
    order: kept,
    amount,
    seen,
  } = await tryOut(context.db, (tx) => carryOut(tx, context, order, { actor: 'preview' }))
  return { order: kept, amount, seen }
}

/**
 * Carries an order out: the only function that checks one. It must do nothing outside of the
 * database transaction, which may be undone; what follows the commit is `finish`.
 */
export async function carryOut(
  tx: Tx,
  context: ApprovalContext,
  order: Order,
  { actor, seenBefore }: { actor: string; seenBefore?: SeenBefore },
): Promise<Performed> {
  const performed = await perform(tx, context, order, actor)
  if (seenBefore !== undefined && !isAsSeen(performed, seenBefore))
    throw new Refusal('conflict', 'This has changed since you saw it: check it again')
  return performed
}

/** A balance may move between the look and the decision; the rest is what was decided about. */
function isAsSeen({ order: { kind }, amount, seen }: Performed, before: SeenBefore): boolean {
  if (amount !== before.amount) return false
  if (kind !== 'resolve' && kind !== 'send_back') return true
  const { status, ...rest } = seen
  const { status: statusBefore, ...restBefore } = before.seen
  const areSame = Object.entries(rest).every(([name, value]) => restBefore[name] === value)
  // Until it ends, a transaction may go on.
  return areSame && (status === statusBefore || (isOpen(status) && isOpen(statusBefore)))
}

function isOpen(status: Approval['seen'][string] | undefined): boolean {
  return !isFinal('transaction', status as Transaction['status'])
}

function perform(tx: Tx, context: ApprovalContext, order: Order, actor: string) {
  if (order.kind === 'resolve') return resolve(tx, context, order, actor)
  if (order.kind === 'send_back') return sendBack(tx, context, order, actor)
  if (order.kind === 'statement') return proveStatement(order)
  if (order.kind === 'suspend') return suspend(tx, context, order, actor)
  if (order.kind === 'statement_withdrawal') return withdraw(tx, context, order, actor)
  if (order.kind === 'grant') return grant(tx, context, order, actor)
  if (order.kind === 'forget') return forget(tx, context, order, actor)
  return moveMoney(tx, context, order, actor)
}

async function moveMoney(
  tx: Tx,
  { clock }: ApprovalContext,
  order: Extract<Order, { ref: string }>,
  actor: string,
): Promise<Performed> {
  const { kind, clientId, amount, ref } = order
  if ((await findBalance(tx, clientId, 'available')) === undefined)
    throw new Refusal('not_found', 'No client found')
  const isTaken = kind === 'withdraw' || (kind === 'adjust' && !order.isGiven)
  const signed = isTaken ? -amount : amount
  const head = { clientId, amount: signed, ref, now: clock.now(), actor }
  const { before, after } = await (kind === 'adjust'
    ? adjust(tx, { ...head, account: order.account, reason: order.reason })
    : settle(tx, head))
  return {
    order,
    amount,
    seen: { available: before },
    outcome: { available: after },
    finish: async () => ({ kind, clientId, amount: signed, available: after }),
  }
}

async function resolve(
  tx: Tx,
  { transactions }: ApprovalContext,
  order: Extract<Order, { kind: 'resolve' }>,
  actor: string,
): Promise<Performed> {
  const { before, after, afterCommit, ...sealed } = await transactions.recordResolution(
    tx,
    order,
    actor,
  )
  const { token: _clear, ...rest } = order
  return {
    order: { ...rest, ...sealed },
    amount: before.amount,
    seen: seenOf(before),
    outcome: { status: after.status },
    finish: async () => {
      afterCommit()
      return { kind: 'resolve', transaction: after }
    },
  }
}

async function sendBack(
  tx: Tx,
  { clock, transactions }: ApprovalContext,
  order: Extract<Order, { kind: 'send_back' }>,
  actor: string,
): Promise<Performed> {
  const sent = await transactions.recordSendBack(tx, { ...order, actor }, clock.now())
  const { refund, original, payment } = sent
  return {
    order: { ...order, expected: payment },
    amount: payment.amount,
    seen: { ...seenOf(original), reference: payment.reference, from: payment.from },
    outcome: { refundId: refund.id },
    finish: async () => ({
      kind: 'send_back',
      transaction: await transactions.sendWithin(refund),
    }),
  }
}

/** The lines themselves are recorded by their import, which finds this decision. */
async function proveStatement(order: Extract<Order, { kind: 'statement' }>): Promise<Performed> {
  const { id, lines, amount } = order
  return {
    order,
    amount,
    seen: { lines },
    outcome: { lines },
    finish: async () => ({ kind: 'statement', statementId: id }),
  }
}

async function suspend(
  tx: Tx,
  { recordSuspense }: ApprovalContext,
  order: Extract<Order, { kind: 'suspend' }>,
  actor: string,
): Promise<Performed> {
  const { amount, ...seen } = await recordSuspense(tx, order, actor)
  return {
    order,
    amount: Math.abs(amount),
    seen: { ...seen, suspended: amount },
    outcome: { amount },
    finish: async () => ({ kind: 'suspend', caseId: order.id }),
  }
}

async function withdraw(
  tx: Tx,
  { recordWithdrawal, takeBack }: ApprovalContext,
  order: Extract<Order, { kind: 'statement_withdrawal' }>,
  actor: string,
): Promise<Performed> {
  const { lines, cases, ...booked } = await recordWithdrawal(tx, order, actor)
  return {
    order,
    amount: Math.abs(booked.fees) + Math.abs(booked.transfers),
    seen: { lines, cases, ...booked },
    outcome: { lines },
    finish: async () => {
      await takeBack().catch(() => {})
      return { kind: 'statement_withdrawal', statementId: order.id }
    },
  }
}

async function grant(
  tx: Tx,
  { people }: ApprovalContext,
  order: Extract<Order, { kind: 'grant' }>,
  actor: string,
): Promise<Performed> {
  const { email, role } = order
  const { before, url } = await people.operators.recordGrant(tx, { ...order, actor })
  return {
    order,
    amount: 0,
    seen: { role: before },
    outcome: { role },
    finish: async () => ({ kind: 'grant', email, url }),
  }
}

async function forget(
  tx: Tx,
  { recordForgetting }: ApprovalContext,
  order: Extract<Order, { kind: 'forget' }>,
  actor: string,
): Promise<Performed> {
  const { places } = await recordForgetting(tx, order, actor)
  return {
    order,
    amount: 0,
    seen: { places },
    outcome: { places },
    finish: async () => ({ kind: 'forget', pseudonym: order.pseudonym }),
  }
}

function seenOf({ status, operation, serviceCode, amount, fee }: Transaction): Approval['seen'] {
  return { status, operation, serviceCode, amount, fee }
}

class Undone extends Error {}

/** What some work would do: its database transaction is undone. */
async function tryOut<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const results: T[] = []
  const trial = db.transaction(async (tx) => {
    results.push(await work(tx))
    throw new Undone('this was only a trial')
  })
  await trial.catch((problem: unknown) => {
    if (!(problem instanceof Undone)) throw problem
  })
  const result = results.at(-1)
  if (result === undefined) throw new Error('a trial has a result')
  return result
}
