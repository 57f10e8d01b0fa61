import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import type { PeopleContext } from './context.ts'
import { recordInvitation } from './invitations.ts'
import { setOperatorRole } from './operators.ts'
import { type OperatorRole, raises } from './rights.ts'
import { findPersonByEmail } from './store.ts'

interface Grant {
  email: string
  role: OperatorRole
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
  context: PeopleContext,
  at: Date,
  { email, role, by, name, language, actor }: Grant & { actor: string },
): Promise<{ before: OperatorRole | null; url: string | null }> {
  const person = await findPersonByEmail(tx, email)
  const before = person?.operatorRole ?? null
  if (!raises(before, role)) throw new Refusal('conflict', 'They have this right already')
  if (person === undefined || before === null) {
    const to = { clientId: null, role }
    const inviter = { actor: by, name, language }
    return { before, url: await recordInvitation(tx, context, to, { email, by: inviter, at }) }
  }
  await setOperatorRole(tx, at, { personId: person.id, role, actor, by })
  return { before, url: null }
}
