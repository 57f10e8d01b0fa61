import { after } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { aloneOf, needsSecondPersonNow } from './alone.ts'
import type { Approval, Done, Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import { carryOut, type Prepared, prepare } from './prepare.ts'
import { findByForm, insertApproval } from './store.ts'
import { tellOfProposal } from './tell.ts'

/** Who asks for something. */
export interface Asker {
  /** The mail address of a person who has proved who they are. */
  person: string
  /** Who is named in the audit log for what needs no second person. */
  actor: string
}

/** What is written together with what was asked for; null: done, else what is proposed. */
export type Alongside = (tx: Tx, proposed: Approval | null) => Promise<void>

/** It is done, or it waits for a second person. */
export type Requested = { kind: 'done'; done: Done } | { kind: 'proposed'; approval: Approval }

// Longer than a weekend.
const waitMs = 72 * 3_600_000

/**
 * Does what a person asks for, or proposes it when it needs a second person. That is decided under
 * a lock, so that no two orders pass together. A form that is sent twice proposes once. `alongside`
 * is committed together with what was done or proposed.
 */
export async function request(
  context: ApprovalContext,
  order: Order,
  { person, actor }: Asker,
  form: string | null = null,
  alongside: Alongside = async () => {},
): Promise<Requested> {
  const known = form === null ? undefined : await findByForm(context.db, form)
  if (known !== undefined) return requestedBefore(known)
  const prepared = await prepare(context, order)
  const { order: kept, amount } = prepared
  const head = { person, form, alongside }
  const result = await context.db.transaction(async (tx) => {
    if (await needsSecondPersonNow(tx, context, { person, order: kept, amount }))
      return { approval: await propose(tx, context, prepared, head) }
    const { finish, outcome } = await carryOut(tx, context, kept, { actor, seenBefore: prepared })
    const alone = aloneOf(draft(context, prepared, person), outcome)
    // Of an import that breaks off, the same form is sent again.
    const isKept = await insertApproval(tx, kept.kind === 'statement' ? { ...alone, form } : alone)
    if (!isKept) throw new Refusal('conflict', 'Already in progress')
    await alongside(tx, null)
    return { finish }
  })
  return 'approval' in result
    ? { kind: 'proposed', approval: result.approval }
    : { kind: 'done', done: await result.finish() }
}

function requestedBefore(approval: Approval): Requested {
  const { state, order } = approval
  return state === 'alone' && order.kind === 'statement'
    ? { kind: 'done', done: { kind: 'statement', statementId: order.id } }
    : { kind: 'proposed', approval }
}

function draft(
  { clock }: ApprovalContext,
  { order, amount, seen }: Prepared,
  person: string,
): Approval {
  const at = clock.now()
  const { kind, clientId } = order
  return {
    id: newId(at),
    kind,
    clientId,
    amount,
    order,
    seen,
    state: 'open',
    proposedBy: person,
    proposedAt: at,
    expiresAt: after(at, waitMs),
    decidedBy: null,
    decidedAt: null,
    reason: null,
    outcome: null,
  }
}

async function propose(
  tx: Tx,
  context: ApprovalContext,
  prepared: Prepared,
  { person, form, alongside }: { person: string; form: string | null; alongside: Alongside },
): Promise<Approval> {
  const approval = draft(context, prepared, person)
  if (!(await insertApproval(tx, { ...approval, form }))) {
    const known = form === null ? undefined : await findByForm(tx, form)
    if (known === undefined) throw new Error(`approval ${approval.id} was not written`)
    return known
  }
  const { id, kind, clientId, amount, proposedAt: at } = approval
  const record = { at, actor: person, action: 'approval.propose', ...ofClient(clientId) }
  await recordAudit(tx, { ...record, details: { id, kind, amount } })
  await alongside(tx, approval)
  await tellOfProposal(tx, context, approval)
  return approval
}

/** Whose record of the audit log it is: of a client, or of the gateway. */
export function ofClient(clientId: number | null): { clientId?: number } {
  return clientId === null ? {} : { clientId }
}
