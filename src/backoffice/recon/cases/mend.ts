import type { Approval, Order } from '#backoffice/approvals/approval.ts'
import type { Prepared } from '#backoffice/approvals/prepare.ts'
import type { Asker, Requested } from '#backoffice/approvals/propose.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import type { ReconContext } from '../context.ts'
import { letGo } from '../import/proof-store.ts'
import { accountOf } from '../import/statement.ts'
import { type Case, type Closing, type Mending, type Way, ways } from './case.ts'
import { findCase, lockWaiting } from './case-store.ts'
import { isInState, lockKnownCase, moveCase, noCase } from './move-case.ts'

/** What became of a case, and what was done or proposed for it. */
export interface Mended {
  case: Case
  requested: Requested | null
}

const closings: Record<Mending['how'], Closing> = {
  resolve: 'resolved',
  send_back: 'sent_back',
  adjust: 'adjusted',
  suspend: 'suspended',
  ignore: 'ignored',
}

/**
 * Mends a difference by what moves money by hand elsewhere, with a second person where the amount
 * needs one: then the case waits for that person. A form that is sent twice proposes once.
 */
export async function mendCase(
  context: ReconContext,
  id: string,
  mending: Mending,
  asker: Asker,
  form?: string,
): Promise<Mended> {
  const why = reasonOf(mending.reason)
  const one = await findCase(context.db, id)
  if (one === undefined) throw noCase()
  if (one.state !== 'open') throw isInState(one)
  const { db, clock, approvals } = context
  const actor = asker.person ?? asker.actor
  const closing = closings[mending.how]
  // In the transaction that moves the money: a process that dies has done both or neither.
  const move = async (tx: Tx, proposed: Approval | null) => {
    const locked = await lockKnownCase(tx, id)
    // Closed with what was booked.
    if (proposed === null && mending.how === 'suspend') return
    const head = { actor, at: clock.now() }
    await (proposed === null
      ? moveCase(tx, locked, { ...head, trigger: 'closed', closing, reason: why })
      : moveCase(tx, locked, { ...head, trigger: 'proposed', approvalId: proposed.id }))
  }
  const order = orderOf(one, { ...mending, reason: why })
  const requested = order && (await approvals.request(order, asker, form, move))
  if (order === null) await db.transaction((tx) => move(tx, null))
  return { case: (await findCase(db, id)) ?? one, requested }
}

/** Why something is done, as it is kept; it must be given. */
export function reasonOf(given: string): string {
  const why = oneLine(given, 500)
  if (why === '') throw new Refusal('validation_failed', reason('A reason is needed', {}, 'reason'))
  return why
}

/** What a mending would do as things are now; null: nothing moves. Refuses what cannot be done. */
export async function previewMending(
  { approvals }: ReconContext,
  one: Case,
  mending: Mending,
): Promise<Prepared | null> {
  const order = orderOf(one, mending)
  return order === null ? null : approvals.preview(order)
}

/** The ways to mend a difference that are possible as things are now. */
export async function findWays(context: ReconContext, one: Case): Promise<Way[]> {
  if (one.state !== 'open') return []
  const isPossible = async (way: Way) => {
    const mending: Mending =
      way === 'success' || way === 'failed'
        ? { how: 'resolve', as: way, reason: '?' }
        : { how: way as 'send_back', reason: '?' }
    return previewMending(context, one, mending).then(
      () => true,
      (problem: unknown) => {
        if (problem instanceof Refusal) return false
        throw problem
      },
    )
  }
  const found: Way[] = []
  for (const way of ways)
    if (way === 'adjust' || way === 'ignore' || (await isPossible(way))) found.push(way)
  return found
}

/** What is asked for; null: nothing moves. */
function orderOf(one: Case, mending: Mending): Order | null {
  if (mending.how === 'ignore') return null
  if (mending.how === 'adjust') {
    const { clientId, amount, isGiven, account = accountOf(one) } = mending
    if (!(Number.isSafeInteger(amount) && amount > 0))
      throw new Refusal(
        'validation_failed',
        reason('The amount must be a whole number above zero', {}, 'amount'),
      )
    // What is corrected again has another one.
    const ref = `difference ${one.id}/${one.version}`
    return { kind: 'adjust', clientId, amount, account, isGiven, ref, reason: mending.reason }
  }
  if (mending.how === 'suspend')
    return { kind: 'suspend', clientId: null, id: one.id, reason: mending.reason }
  const { clientId, transactionId } = one
  if (clientId === null || transactionId === null)
    throw new Refusal('conflict', 'No transaction of ours belongs to this difference')
  const head = { clientId, id: transactionId, reason: mending.reason }
  if (mending.how === 'send_back') {
    const { expected } = mending
    const reference = one.details.theirs?.reference ?? undefined
    const meant = reference === undefined ? {} : { reference }
    return { kind: 'send_back', ...head, ...meant, ...(expected === undefined ? {} : { expected }) }
  }
  return { kind: 'resolve', ...head, as: mending.as }
}

/** Closes or reopens the cases that wait for a proposal, with its decision. */
export async function followDecision(tx: Tx, decided: Approval): Promise<void> {
  const { id, kind, order, state, decidedBy, decidedAt } = decided
  if (kind === 'statement' && state !== 'approved') await letGo(tx, id)
  for (const one of await lockWaiting(tx, id)) {
    const move = { actor: decidedBy ?? '', at: decidedAt ?? one.openedAt }
    const why = 'reason' in order ? order.reason : kind
    if (state !== 'approved') {
      await moveCase(tx, one, { ...move, trigger: 'declined' })
      continue
    }
    const closing = closings[kind as Mending['how']]
    const closed = await moveCase(tx, one, { ...move, trigger: 'closed', closing, reason: why })
    // Meanwhile a statement told something else: what was decided is not all of it, or too much.
    const { difference, decided: before, amount } = closed
    if (order.kind === 'adjust' && difference !== null && difference !== before) {
      const moved = order.isGiven ? order.amount : -order.amount
      await moveCase(tx, closed, { ...move, trigger: 'reopened', amount: amount - moved })
    }
  }
}
