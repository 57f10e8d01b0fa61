import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import { after } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { Approval, Done, Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import type { Prepared } from './prepare.ts'
import { prepare } from './prepare.ts'
import { findByForm, insertApproval } from './store.ts'
import { tellOfProposal } from './tell.ts'

/** Who asks for something. */
export interface Asker {
  /** The mail address of a person who has proved who they are; null: nobody is named. */
  person: string | null
  /** Who is named in the audit log for what needs no second person. */
  actor: string
}

/** It is done, or it waits for a second person. */
export type Requested = { kind: 'done'; done: Done } | { kind: 'proposed'; approval: Approval }

const hourMs = 3_600_000

/**
 * Does what a person asks for, or proposes it when its amount needs a second person. A form that is
 * sent twice proposes once.
 */
export async function request(
  context: ApprovalContext,
  order: Order,
  { person, actor }: Asker,
  form: string | null = null,
): Promise<Requested> {
  const known = form === null ? undefined : await findByForm(context.db, form)
  if (known !== undefined) return { kind: 'proposed', approval: known }
  const prepared = await prepare(context, order)
  if (!isTwofold(context, prepared.amount)) {
    const { finish } = await context.db.transaction((tx) => prepared.perform(tx, actor))
    return { kind: 'done', done: await finish() }
  }
  if (person === null)
    throw new Refusal(
      'conflict',
      reason('Above {amount} F CFA two people decide: tell who you are', {
        amount: context.approvalAbove ?? 0,
      }),
    )
  return { kind: 'proposed', approval: await propose(context, prepared, person, form) }
}

/** Whether an amount needs a second person. */
export function isTwofold({ approvalAbove }: ApprovalContext, amount: number): boolean {
  return approvalAbove !== null && amount > approvalAbove
}

function propose(
  context: ApprovalContext,
  { order, amount, seen }: Prepared,
  person: string,
  form: string | null,
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
    await tellOfProposal(tx, context, approval)
    return approval
  })
}
