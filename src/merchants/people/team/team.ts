import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { deleteInvitations } from '../codes/store.ts'
import type { PeopleParts } from '../context.ts'
import { type Action, type AnyRole, may, type Role } from '../rights.ts'
import { deleteMembership, lockMembers, readMembers, upsertMembership } from '../store.ts'

export interface MemberOrder {
  clientId: number
  personId: string
  actor: string
  /** What the actor may do in the team. */
  actorRole: Role
}

export interface RoleOrder extends MemberOrder {
  role: Role
}

/** Changes what a member may do; false: there is no such member. Refuses for the last owner. */
export async function setRole(
  tx: Tx,
  { clock }: Pick<PeopleParts, 'clock'>,
  order: RoleOrder,
): Promise<boolean> {
  const { clientId, personId, role, actor } = order
  const member = await lockMember(tx, order, role === 'owner')
  if (member === undefined) return false
  const { email } = member
  const at = clock.now()
  await upsertMembership(tx, { personId, clientId, role, createdAt: at })
  await deleteInvitations(tx, { clientId, invitedBy: email })
  const details = { email, before: member.role, role }
  await recordAudit(tx, { at, actor, action: 'team.role', clientId, details })
  return true
}

/** Takes a person out of a client; false: there is no such member. Refuses for the last owner. */
export async function removeMember(
  tx: Tx,
  { clock }: Pick<PeopleParts, 'clock'>,
  order: MemberOrder,
): Promise<boolean> {
  const { clientId, personId, actor } = order
  const member = await lockMember(tx, order, false)
  if (member === undefined) return false
  const { email, role } = member
  await deleteMembership(tx, { clientId, personId })
  // What they sent must not let them back in.
  await deleteInvitations(tx, { clientId, invitedBy: email })
  const details = { email, role }
  await recordAudit(tx, { at: clock.now(), actor, action: 'team.remove', clientId, details })
  return true
}

export interface AloneOrder {
  clientId: number
  action: Action
}

/** Whether one person alone may do something in a client. */
export async function isAloneWith(db: Db, { clientId, action }: AloneOrder): Promise<boolean> {
  const members = await readMembers(db, clientId)
  return members.filter(({ role, hasJoined }) => hasJoined && may(role, action)).length === 1
}

/** Locks the whole team: two owners who remove each other at once must not both succeed. */
async function lockMember(
  tx: Tx,
  { clientId, personId, actorRole }: MemberOrder,
  staysOwner: boolean,
): Promise<{ email: string; role: Role } | undefined> {
  const members = await lockMembers(tx, clientId)
  const member = members.find((one) => one.personId === personId)
  if (member === undefined) return undefined
  refuseOwners(actorRole, member.role, staysOwner ? 'owner' : undefined)
  const owners = members.filter(({ role }) => role === 'owner')
  if (member.role === 'owner' && owners.length === 1 && !staysOwner)
    throw new Refusal('conflict', reason('A client must keep at least one owner', {}, 'role'))
  return member
}

/** Only an owner makes and unmakes owners. */
export function refuseOwners(actorRole: AnyRole, ...touched: (AnyRole | undefined)[]): void {
  if (touched.includes('owner') && !may(actorRole, 'owner.change'))
    throw new Refusal(
      'validation_failed',
      reason('Only an owner can add or remove owners', {}, 'role'),
    )
}
