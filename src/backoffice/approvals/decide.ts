import { isUuid } from '#base/kit/ids.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { isSame, isTooNew, mayApprove, mayBeOne } from '#merchants/people/team/approver.ts'
import { lockApprover } from '#merchants/people/team/operator-store.ts'
import type { Approval, ApprovalTrigger, Done } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import { carryOut } from './prepare.ts'
import { ofClient } from './propose.ts'
import { decideApproval, findApproval, lockApproval, lockExpired } from './store.ts'

interface Decision {
  id: string
  /** The mail address of a person who has proved who they are. */
  person: string
}

/** The approval with this id; refuses an unknown one. */
export async function getApproval({ db }: ApprovalContext, id: string): Promise<Approval> {
  const found = isUuid(id) ? await findApproval(db, id) : undefined
  if (found === undefined) throw new Refusal('not_found', 'No approval found')
  return found
}

/**
 * Carries out what another person proposed, once: the decision and what it does are written in one
 * database transaction. If it can no longer be done, this refuses and changes nothing.
 */
export async function approve(
  context: ApprovalContext,
  { id, person }: Decision,
): Promise<{ approval: Approval; done: Done }> {
  const { db, clock } = context
  const { approval, finish } = await db.transaction(async (tx) => {
    const locked = await lockOpen(tx, id)
    await checkApprover(tx, context, locked, person)
    const { outcome, finish } = await carryOut(tx, context, locked.order, {
      actor: person,
      seenBefore: locked,
    })
    const decision = { state: 'approved' as const, by: person, at: clock.now(), outcome }
    return { approval: await decide(tx, context, locked, decision), finish }
  })
  if (approval.kind === 'statement') await context.proveApproved().catch(() => {})
  return { approval, done: await finish() }
}

/** Ends a proposal without doing it; its proposer may take it back so. */
export function refuse(
  context: ApprovalContext,
  { id, person, reason: given }: Decision & { reason: string },
): Promise<Approval> {
  const why = oneLine(given, 500)
  if (why === '')
    throw new Refusal('validation_failed', reason('A refusal needs a reason', {}, 'reason'))
  const { db, clock } = context
  return db.transaction(async (tx) => {
    const locked = await lockOpen(tx, id)
    checkOpen(locked, clock.now())
    return decide(tx, context, locked, {
      state: 'refused',
      by: person,
      at: clock.now(),
      reason: why,
    })
  })
}

const expiredAtOnce = 100
const gateway = 'gateway'

/** Ends proposals whose time is over: nothing of them has left. Returns how many there were. */
export function expire(context: ApprovalContext, now: Date): Promise<number> {
  return context.db.transaction(async (tx) => {
    const expired = await lockExpired(tx, now, expiredAtOnce)
    for (const one of expired)
      await decide(tx, context, one, { state: 'expired', by: gateway, at: now })
    return expired.length
  })
}

async function lockOpen(tx: Tx, id: string): Promise<Approval> {
  const locked = isUuid(id) ? await lockApproval(tx, id) : undefined
  if (locked === undefined) throw new Refusal('not_found', 'No approval found')
  return locked
}

/** Refuses who proposed it, and whoever may be the same person under another address. */
async function checkApprover(
  tx: Tx,
  { clock, approverAge }: ApprovalContext,
  approval: Approval,
  person: string,
): Promise<void> {
  const now = clock.now()
  checkOpen(approval, now)
  const { proposedBy } = approval
  if (isSame(proposedBy, person))
    throw new Refusal('conflict', 'Another person must approve what you have proposed')
  const approver = await lockApprover(tx, person)
  if (approver === undefined || !mayApprove(approver))
    throw new Refusal('conflict', 'Only an operator who may approve can do this')
  const proposer = await lockApprover(tx, proposedBy)
  if (mayBeOne(approver, proposer ?? { email: proposedBy, givenBy: [] }))
    throw new Refusal(
      'conflict',
      'One of you invited or promoted the other: a third person must approve it',
    )
  if (isTooNew(approver, approverAge, now))
    throw new Refusal(
      'conflict',
      reason('You may approve {days} days after you were given that right', { days: approverAge }),
    )
}

function checkOpen({ state, decidedBy, expiresAt }: Approval, now: Date): void {
  if (state === 'alone') throw new Refusal('conflict', 'Done: it needed only one person')
  if (state === 'approved' || state === 'refused')
    throw new Refusal(
      'conflict',
      reason('Already {state} by {person}', { state, person: decidedBy ?? '' }),
    )
  if (state === 'expired' || expiresAt <= now)
    throw new Refusal('conflict', 'It has expired: propose it again')
}

interface Decided {
  state: ApprovalTrigger
  by: string
  at: Date
  reason?: string
  outcome?: Record<string, unknown>
}

const actions = { approved: 'approve', refused: 'refuse', expired: 'expire' }

/** The only writer of an approval's state. */
async function decide(
  tx: Tx,
  { onDecided }: ApprovalContext,
  open: Approval,
  decided: Decided,
): Promise<Approval> {
  const { state, by, at } = decided
  const { id, kind, clientId, amount, proposedBy } = open
  const approval = {
    ...open,
    state,
    decidedBy: by,
    decidedAt: at,
    reason: decided.reason ?? null,
    outcome: decided.outcome ?? null,
  }
  await decideApproval(tx, state, approval)
  await onDecided(tx, approval)
  const details = {
    id,
    kind,
    amount,
    proposedBy,
    ...(decided.reason === undefined ? {} : { reason: decided.reason }),
  }
  const action = `approval.${actions[state]}`
  await recordAudit(tx, { at, actor: by, action, ...ofClient(clientId), details })
  return approval
}
