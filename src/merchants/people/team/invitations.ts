import { after } from '#base/kit/clock.ts'
import type { Language } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { queueMail } from '#merchants/mail/queue.ts'
import { newCode } from '../codes/codes.ts'
import { invitationMail } from '../codes/mails.ts'
import {
  deleteInvitation,
  deleteInvitations,
  type InvitedTo,
  insertCode,
  readInvitations,
} from '../codes/store.ts'
import type { PeopleContext, PeopleParts } from '../context.ts'
import { type AnyRole, raises } from '../rights.ts'
import { findPersonByEmail, lockMembers } from '../store.ts'
import type { Tries } from '../tries/tries.ts'
import { lockOperators } from './operator-store.ts'
import { noMailAddress } from './person.ts'
import { refuseOwners } from './team.ts'

const dayMs = 86_400_000
const invitationMs = 7 * dayMs
// Mails that strangers get because of one client, and one address because of all clients.
const invitationsPerClient = 50
const invitationsPerAddress = 5

/** How the mail of an invitation names who invites, and in which language it is for strangers. */
interface Inviter {
  name: string
  language: Language
}

/** To a client with a role there, or (null) to operate the gateway. */
type InvitationOrder = InvitedTo & { email: string; actor: string; inviter: Inviter }

/** Inviting people by mail: to a client, or to operate the gateway. */
export function openInvitations(context: PeopleContext) {
  const { db, clock, tries } = context

  /** Sends an invitation instead of any earlier one to the same place; returns the link. */
  async function send(order: InvitationOrder & { actorRole: AnyRole }): Promise<string> {
    const { clientId, email, role, actorRole } = order
    if (order.clientId !== null) refuseOwners(actorRole, role)
    else if (raises(null, order.role))
      throw new Refusal(
        'conflict',
        reason('The right to approve must be proposed first', {}, 'role'),
      )
    if (!isMailAddress(email)) throw new Refusal('validation_failed', noMailAddress(email))
    await refuseFlood(tries, clientId, email)
    return db.transaction((tx) => recordInvitation(tx, context, order))
  }

  /** Ends an invitation; false: there is none with this id. */
  function withdraw(order: {
    clientId: number | null
    id: string
    actor: string
    actorRole: AnyRole
  }): Promise<boolean> {
    const { clientId, actor, actorRole } = order
    return db.transaction(async (tx) => {
      const gone = await deleteInvitation(tx, order)
      if (gone === undefined) return false
      refuseOwners(actorRole, gone.role)
      const record = { at: clock.now(), actor, ...auditOf(clientId, 'withdraw') }
      await recordAudit(tx, { ...record, details: { email: gone.email } })
      return true
    })
  }

  return {
    send,
    withdraw,
    /** Those that wait for an answer; of a client, or (null) to operate the gateway. */
    list: (clientId: number | null) => readInvitations(db, clientId, clock.now()),
  }
}

/** Writes an invitation and its mail instead of any earlier one; returns the link. */
export async function recordInvitation(
  tx: Tx,
  { clock, hasSmtp, publicUrl }: PeopleParts,
  { email, actor, inviter, ...order }: InvitationOrder,
): Promise<string> {
  if (!isMailAddress(email)) throw new Refusal('validation_failed', noMailAddress(email))
  const { clientId, role } = order
  const at = clock.now()
  const person = await findPersonByEmail(tx, email)
  const times = { createdAt: at, expiresAt: after(at, invitationMs) }
  const purpose = { kind: 'invitation', email, clientId, role, invitedBy: actor } as const
  const { code, row } = newCode(purpose, times)
  const url = `${publicUrl()}/dashboard/join/${code}`
  const members = await lockPlace(tx, clientId)
  if (person !== undefined && members.includes(person.id))
    throw new Refusal('conflict', reason('{email} is in the team already', { email }, 'email'))
  await deleteInvitations(tx, { clientId, email })
  await insertCode(tx, row)
  const letter = {
    to: email,
    language: person?.language ?? inviter.language,
    clientName: await nameOfPlace(tx, clientId),
    invitedBy: `${inviter.name} (${actor})`,
    role,
    url,
    expiresAt: row.expiresAt,
    recordId: row.id,
  }
  await queueMail(tx, invitationMail(letter), at, hasSmtp)
  const details = { email, role }
  await recordAudit(tx, { at, actor, ...auditOf(clientId, 'invite'), details })
  return url
}

/** Locks who is there already; returns the ids of people. */
async function lockPlace(tx: Tx, clientId: number | null): Promise<string[]> {
  const members = clientId === null ? await lockOperators(tx) : await lockMembers(tx, clientId)
  return members.map(({ personId }) => personId)
}

async function nameOfPlace(tx: Tx, clientId: number | null): Promise<string | null> {
  return clientId === null ? null : ((await findClient(tx, clientId))?.name ?? '')
}

function auditOf(clientId: number | null, what: string): { action: string; clientId?: number } {
  return clientId === null ? { action: `operator.${what}` } : { action: `team.${what}`, clientId }
}

/** Nobody is flooded with mails through us. */
async function refuseFlood(tries: Tries, clientId: number | null, email: string): Promise<void> {
  const taken = await tries.take(
    [
      [['invitations', String(clientId)], invitationsPerClient],
      // For each client: nobody can use up what another may send to an address.
      [['invitations', String(clientId), email.toLowerCase()], invitationsPerAddress],
    ],
    dayMs,
  )
  if (taken === undefined)
    throw new Refusal('rate_limited', 'Too many invitations today, try again tomorrow')
}
