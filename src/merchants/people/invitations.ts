import { after } from '#base/kit/clock.ts'
import type { Language } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { queueMail } from '#merchants/mail/queue.ts'
import {
  deleteInvitation,
  deleteInvitations,
  type InvitedTo,
  insertCode,
  readInvitations,
} from './code-store.ts'
import { newCode } from './codes.ts'
import type { PeopleContext } from './context.ts'
import { invitationMail } from './mails.ts'
import { lockOperators } from './operator-store.ts'
import { noMailAddress } from './people.ts'
import { type OperatorRole, type Role, raises } from './rights.ts'
import { findPersonByEmail, lockMembers } from './store.ts'
import { refuseOwners, type TeamActor } from './team.ts'
import type { Tries } from './tries.ts'

const dayMs = 86_400_000
const invitationMs = 7 * dayMs
// Mails that strangers get because of one client, and one address because of all clients.
const invitationsPerClient = 50
const invitationsPerAddress = 5

/** Who invites: named in the mail and in the audit log. */
export interface Inviter {
  actor: string
  name: string
  language: Language
}

/** Inviting people by mail: to a client, or to operate the gateway. */
export function openInvitations(context: PeopleContext) {
  const { db, clock, tries } = context

  /** Sends an invitation instead of any earlier one to the same place; returns the link. */
  async function send(to: InvitedTo, email: string, by: Inviter): Promise<string> {
    if (!isMailAddress(email)) throw new Refusal('validation_failed', noMailAddress(email))
    await refuseFlood(tries, to.clientId, email)
    return db.transaction((tx) => recordInvitation(tx, context, to, { email, by, at: clock.now() }))
  }

  return {
    toClients: {
      /** Invites a person to a client by mail; returns the link. */
      invite: (order: { clientId: number; email: string; role: Role; by: TeamActor & Inviter }) => {
        const { clientId, email, role, by } = order
        refuseOwners(by, role)
        return send({ clientId, role }, email, by)
      },
      withdraw: (order: { clientId: number; id: string; by: TeamActor }) =>
        withdraw(context, order),
      invitationsOf: (clientId: number) => readInvitations(db, clientId, clock.now()),
    },
    toOperators: {
      /** Invites a person to operate the gateway; returns the link. */
      invite: ({ email, role, by }: { email: string; role: OperatorRole; by: Inviter }) => {
        if (raises(null, role))
          throw new Refusal('conflict', reason('A right to approve is proposed first', {}, 'role'))
        return send({ clientId: null, role }, email, by)
      },
      withdraw: (id: string, actor: string) =>
        withdraw(context, { clientId: null, id, by: { actor } }),
      invitations: () => readInvitations(db, null, clock.now()),
    },
  }
}

/** Writes an invitation and its mail instead of any earlier one; returns the link. */
export async function recordInvitation(
  tx: Tx,
  { hasSmtp, publicUrl }: PeopleContext,
  to: InvitedTo,
  { email, by, at }: { email: string; by: Inviter; at: Date },
): Promise<string> {
  if (!isMailAddress(email)) throw new Refusal('validation_failed', noMailAddress(email))
  const { clientId, role } = to
  const person = await findPersonByEmail(tx, email)
  const times = { createdAt: at, expiresAt: after(at, invitationMs) }
  const { code, row } = newCode({ kind: 'invitation', email, ...to, invitedBy: by.actor }, times)
  const url = `${publicUrl()}/dashboard/join/${code}`
  const members = await lockPlace(tx, clientId)
  if (person !== undefined && members.includes(person.id))
    throw new Refusal('conflict', reason('{email} is in the team already', { email }, 'email'))
  await deleteInvitations(tx, { clientId, email })
  await insertCode(tx, row)
  const letter = {
    to: email,
    language: person?.language ?? by.language,
    clientName: await nameOfPlace(tx, clientId),
    invitedBy: `${by.name} (${by.actor})`,
    role,
    url,
    expiresAt: row.expiresAt,
    recordId: row.id,
  }
  await queueMail(tx, invitationMail(letter), at, hasSmtp)
  const details = { email, role }
  await recordAudit(tx, { at, actor: by.actor, ...auditOf(clientId, 'invite'), details })
  return url
}

interface Withdrawer {
  actor: string
  /** In the client; undefined: an operator. */
  role?: Role
}

function withdraw(
  { db, clock }: PeopleContext,
  order: { clientId: number | null; id: string; by: Withdrawer },
): Promise<boolean> {
  const { clientId, by } = order
  return db.transaction(async (tx) => {
    const gone = await deleteInvitation(tx, order)
    if (gone === undefined) return false
    if (by.role !== undefined && gone.clientId !== null)
      refuseOwners({ actor: by.actor, role: by.role }, gone.role)
    const record = { at: clock.now(), actor: by.actor, ...auditOf(clientId, 'withdraw') }
    await recordAudit(tx, { ...record, details: { email: gone.email } })
    return true
  })
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
