import { Refusal } from '../catalog/refusal.ts'
import type { Tx } from '../db/db.ts'
import { adjust } from '../ledger/adjustment.ts'
import { settle } from '../ledger/settlement.ts'
import { findBalance } from '../ledger/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Approval, Done, Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'

/** An order that can be carried out as things are now. */
export interface Prepared {
  /** The order as it is kept: with what was seen, and without anything in clear that is secret. */
  order: Order
  amount: number
  seen: Approval['seen']
  /** Carries it out in a database transaction. It may have changed since: then this refuses. */
  perform(tx: Tx, actor: string): Promise<Performed>
}

export interface Performed {
  outcome: Record<string, unknown>
  /** What is left to do once it is committed; it may be killed, and a sweeper does it then. */
  finish(): Promise<Done>
}

/** Checks an order as far as it can be without doing it; refuses one that cannot be done. */
export function prepare(context: ApprovalContext, order: Order): Promise<Prepared> {
  if (order.kind === 'resolve') return prepareResolution(context, order)
  if (order.kind === 'send_back') return prepareSendBack(context, order)
  return prepareMoney(context, order)
}

async function prepareMoney(
  { db, clock }: ApprovalContext,
  order: Extract<Order, { ref: string }>,
): Promise<Prepared> {
  const { kind, clientId, amount, ref } = order
  const balance = await findBalance(db, clientId, 'available')
  if (balance === undefined) throw new Refusal('not_found', 'No client found')
  const isTaken = kind === 'withdraw' || (kind === 'adjust' && !order.isGiven)
  if (isTaken && balance.balance < amount)
    throw new Refusal('insufficient_funds', 'Insufficient balance')
  const signed = isTaken ? -amount : amount
  return {
    order,
    amount,
    seen: { available: balance.balance },
    perform: async (tx, actor) => {
      const head = { clientId, amount: signed, ref, now: clock.now(), actor }
      const { after } = await (order.kind === 'adjust'
        ? adjust(tx, { ...head, account: order.account, reason: order.reason })
        : settle(tx, head))
      const done = { kind, clientId, amount: signed, available: after }
      return { outcome: { available: after }, finish: async () => done }
    },
  }
}

async function prepareResolution(
  { transactions }: ApprovalContext,
  order: Extract<Order, { kind: 'resolve' }>,
): Promise<Prepared> {
  const checked = await transactions.checkResolution(order)
  const { transaction, sealedToken } = checked
  const { token: _clear, ...rest } = order
  return {
    order: { ...rest, ...(sealedToken === undefined ? {} : { sealedToken }) },
    amount: transaction.amount,
    seen: seenOf(transaction),
    perform: async (tx, actor) => {
      const { resolved, afterCommit } = await transactions.recordResolution(tx, checked, actor)
      return {
        outcome: { status: resolved.status },
        finish: async () => {
          afterCommit()
          return { kind: 'resolve', transaction: resolved }
        },
      }
    },
  }
}

async function prepareSendBack(
  { clock, transactions }: ApprovalContext,
  order: Extract<Order, { kind: 'send_back' }>,
): Promise<Prepared> {
  const { original, late } = await transactions.checkSendBack(order)
  const { amount, reference, isExplained } = late
  return {
    order: { ...order, expected: { amount, reference } },
    amount,
    seen: { ...seenOf(original), reference, from: isExplained ? 'available' : 'suspense' },
    perform: async (tx, actor) => {
      const refund = await transactions.recordSendBack(tx, { ...order, actor }, clock.now())
      return {
        outcome: { refundId: refund.id },
        finish: async () => ({
          kind: 'send_back',
          transaction: await transactions.sendWithin(refund),
        }),
      }
    },
  }
}

function seenOf({ status, operation, serviceCode, amount, fee }: Transaction): Approval['seen'] {
  return { status, operation, serviceCode, amount, fee }
}
