import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import type { PeopleParts } from '../context.ts'
import { type OperatorRole, raises } from '../rights.ts'
import { findPersonByEmail } from '../store.ts'
import { recordInvitation } from './invitations.ts'
import { setOperatorRole } from './operators.ts'

export interface Grant {
  email: string
  role: OperatorRole
  actor: string
  /** Who gives it: named in the mail. Neither of the two approves what the other proposes. */
  by: string
  name: string
  language: Language
}

/**
 * Gives a person a right to approve, in the transaction of the decision: an operator at once, any
 * other person when they accept the invitation.
 */
export async function recordGrant(
  tx: Tx,
  parts: PeopleParts,
  { email, role, by, name, language, actor }: Grant,
): Promise<{ before: OperatorRole | null; url: string | null }> {
  const person = await findPersonByEmail(tx, email)
  const before = person?.operatorRole ?? null
  if (!raises(before, role)) throw new Refusal('conflict', 'This person already has this right')
  if (person === undefined || before === null) {
    const invitation = { clientId: null, role, email, actor: by, inviter: { name, language } }
    return { before, url: await recordInvitation(tx, parts, invitation) }
  }
  await setOperatorRole(tx, parts, { personId: person.id, role, actor, by })
  return { before, url: null }
}
