import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Tx } from '../db/db.ts'
import { after } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { Approval, Done, Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import type { Prepared } from './prepare.ts'
import { carryOut, prepare } from './prepare.ts'
import { findByForm, insertApproval } from './store.ts'
import { tellOfProposal } from './tell.ts'

/** Who asks for something. */
export interface Asker {
  /** The mail address of a person who has proved who they are; null: nobody is named. */
  person: string | null
  /** Who is named in the audit log for what needs no second person. */
  actor: string
}

/** What is written together with what was asked for; null: done, else what is proposed. */
export type Alongside = (tx: Tx, proposed: Approval | null) => Promise<void>

/** It is done, or it waits for a second person. */
export type Requested = { kind: 'done'; done: Done } | { kind: 'proposed'; approval: Approval }

const hourMs = 3_600_000

/**
 * Does what a person asks for, or proposes it when its amount needs a second person. A form that is
 * sent twice proposes once. `alongside` is committed together with what was done or proposed.
 */
export async function request(
  context: ApprovalContext,
  order: Order,
  { person, actor }: Asker,
  form: string | null = null,
  alongside: Alongside = async () => {},
): Promise<Requested> {
  const known = form === null ? undefined : await findByForm(context.db, form)
  if (known !== undefined) return { kind: 'proposed', approval: known }
  const prepared = await prepare(context, order)
  if (!isTwofold(context, prepared.amount)) {
    const { finish } = await context.db.transaction(async (tx) => {
      const as = { actor, seenBefore: prepared }
      const performed = await carryOut(tx, context, prepared.order, as)
      await alongside(tx, null)
      return performed
    })
    return { kind: 'done', done: await finish() }
  }
  if (person === null)
    throw new Refusal(
      'conflict',
      reason('Above {amount} F CFA two people decide: tell who you are', {
        amount: context.approvalAbove ?? 0,
      }),
    )
  const approval = await propose(context, prepared, { person, form, alongside })
  return { kind: 'proposed', approval }
}

/** Whether an amount needs a second person. */
export function isTwofold({ approvalAbove }: ApprovalContext, amount: number): boolean {
  return approvalAbove !== null && amount > approvalAbove
}

function propose(
  context: ApprovalContext,
  { order, amount, seen }: Prepared,
  { person, form, alongside }: { person: string; form: string | null; alongside: Alongside },
): Promise<Approval> {
  const { db, clock, approvalHours } = context
  const at = clock.now()
  const { kind, clientId } = order
  const approval: Approval = {
    id: newId(at),
    kind,
    clientId,
    amount,
    order,
    seen,
    state: 'open',
    proposedBy: person,
    proposedAt: at,
    expiresAt: after(at, approvalHours * hourMs),
    decidedBy: null,
    decidedAt: null,
    reason: null,
    outcome: null,
  }
  return db.transaction(async (tx) => {
    if (!(await insertApproval(tx, { ...approval, form }))) {
      const known = form === null ? undefined : await findByForm(tx, form)
      if (known === undefined) throw new Error(`approval ${approval.id} was not written`)
      return known
    }
    const details = { id: approval.id, kind, amount }
    await recordAudit(tx, { at, actor: person, action: 'approval.propose', clientId, details })
    await alongside(tx, approval)
    await tellOfProposal(tx, context, approval)
    return approval
  })
}
