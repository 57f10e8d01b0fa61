import { isUuid } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import type { Case, CaseState, Closing } from './case.ts'
import { lockCase, updateCases } from './case-store.ts'

/** Every change of a case's state; any other is refused. */
export const caseTransitions = [
  // from      trigger     to
  ['open', 'proposed', 'waiting'],
  ['open', 'closed', 'closed'],
  ['waiting', 'declined', 'open'],
  ['waiting', 'closed', 'closed'],
  ['closed', 'reopened', 'open'],
] as const

export type CaseTrigger = (typeof caseTransitions)[number][1]

interface CaseMove {
  trigger: CaseTrigger
  actor: string
  at: Date
  /** Of what is proposed. */
  approvalId?: string
  /** Of what is closed. */
  closing?: Closing
  reason?: string
  /** What is left of it. */
  amount?: number
}

/**
 * Moves locked cases along the table, and tells the audit log of each. Refuses any other step. The
 * only writer of a case's state.
 */
export async function moveCases(tx: Tx, cases: Case[], move: CaseMove): Promise<Case[]> {
  const moved = cases.map((one) => movedOf(one, move))
  if (moved.length > 0) await updateCases(tx, moved)
  const { trigger, actor, at, closing = null, reason: why = null } = move
  for (const { id, clientId, kind, transactionId, approvalId } of moved)
    await recordAudit(tx, {
      at,
      actor,
      action: `recon.${trigger}`,
      clientId,
      details: { id, kind, transactionId, closing, reason: why, approvalId },
    })
  return moved
}

/** The same of one. */
export async function moveCase(tx: Tx, one: Case, move: CaseMove): Promise<Case> {
  const [moved] = await moveCases(tx, [one], move)
  return moved ?? one
}

function movedOf(one: Case, move: CaseMove): Case {
  const { trigger, actor, at, closing = null, reason: why = null } = move
  const state = nextState(one.state, trigger)
  if (state === undefined) throw isInState(one)
  const isClosed = state === 'closed'
  return {
    ...one,
    state,
    amount: move.amount ?? one.amount,
    decided: decidedOf(one, move),
    approvalId: move.approvalId ?? (isClosed ? one.approvalId : null),
    closedAt: isClosed ? at : null,
    closedBy: isClosed ? actor : null,
    closing: isClosed ? closing : null,
    reason: isClosed ? why : null,
    version: one.version + 1,
  }
}

const ofPeople = new Set<Closing>(['resolved', 'sent_back', 'adjusted', 'ignored'])

/** What is decided: the difference as it was when a person proposed or closed. */
function decidedOf({ state, decided, difference, amount }: Case, move: CaseMove): number | null {
  if (move.trigger === 'declined') return null
  const isByPerson = move.closing !== undefined && ofPeople.has(move.closing)
  const isNow = move.trigger === 'proposed' || (isByPerson && state === 'open')
  return isNow ? (difference ?? amount) : decided
}

/** The state that a trigger leads to; undefined: the table has no such row. */
export function nextState(from: CaseState, trigger: CaseTrigger): CaseState | undefined {
  return caseTransitions.find(([state, one]) => state === from && one === trigger)?.[2]
}

const stateSentences: Record<CaseState, string> = {
  open: 'The difference is open',
  waiting: 'The difference waits for approval',
  closed: 'The difference is closed',
}

/** Refuses what a case cannot be in its state. */
export function isInState({ state }: Pick<Case, 'state'>): Refusal {
  return new Refusal('conflict', stateSentences[state])
}

/** Locks a case; refuses one that there is not. */
export async function lockKnownCase(tx: Tx, id: string): Promise<Case> {
  const found = isUuid(id) ? await lockCase(tx, id) : undefined
  if (found === undefined) throw noCase()
  return found
}

export function noCase(): Refusal {
  return new Refusal('not_found', 'No difference found')
}
