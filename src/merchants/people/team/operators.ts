import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { deleteInvitations } from '../codes/store.ts'
import type { PeopleParts } from '../context.ts'
import { type OperatorRole, raises } from '../rights.ts'
import { findPerson } from '../store.ts'
import { lockOperators, updateOperatorRole, writeApprover } from './operator-store.ts'

export interface OperatorOrder {
  personId: string
  /** Null: the person is no operator any more. */
  role: OperatorRole | null
  actor: string
  /** Who gives a right to approve; null: the command line. Left out: it is not given. */
  by?: string | null
}

/**
 * Makes a person an operator, changes of which kind, or ends it. False: there is no such person.
 * Refuses when nobody would be left who may make operators.
 */
export async function setOperatorRole(
  tx: Tx,
  { clock }: Pick<PeopleParts, 'clock'>,
  order: OperatorOrder,
): Promise<boolean> {
  const { personId, role, actor, by } = order
  const at = clock.now()
  // All of them: two who remove each other at the same moment must not both succeed.
  const operators = await lockOperators(tx)
  const person = await findPerson(tx, personId)
  if (person === undefined) return false
  const { email, operatorRole: before } = person
  if (before === role) return true
  const left = operators.filter((one) => one.role === 'operator' && one.personId !== personId)
  if (before === 'operator' && left.length === 0)
    throw new Refusal('conflict', reason('The gateway must keep at least one operator', {}, 'role'))
  const isRaised = role !== null && raises(before, role)
  if (isRaised && by === undefined)
    throw new Refusal('conflict', reason('The right to approve must be proposed first', {}, 'role'))
  await updateOperatorRole(tx, personId, role)
  if (isRaised)
    await writeApprover(tx, personId, { since: by === null ? null : at, by: by ?? null })
  // What they sent must not let them back in.
  await deleteInvitations(tx, { clientId: null, invitedBy: email })
  const action = role === null ? 'operator.remove' : 'operator.role'
  await recordAudit(tx, { at, actor, action, details: { email, before, role } })
  return true
}
