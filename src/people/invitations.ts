import { Refusal, reason } from '../catalog/refusal.ts'
import { findClient } from '../clients/store.ts'
import { recordAudit } from '../db/audit-log.ts'
import { after } from '../kit/clock.ts'
import type { Language } from '../kit/language.ts'
import { isMailAddress } from '../kit/mail-address.ts'
import { queueMail } from '../mail/queue.ts'
import { deleteInvitation, deleteInvitations, insertCode, readInvitations } from './code-store.ts'
import { newCode } from './codes.ts'
import type { PeopleContext } from './context.ts'
import { invitationMail } from './mails.ts'
import type { Role } from './rights.ts'
import { findPersonByEmail, lockMembers } from './store.ts'
import type { TeamActor } from './team.ts'
import { refuseOwners } from './team.ts'
import type { Tries } from './tries.ts'

const dayMs = 86_400_000
const invitationMs = 7 * dayMs
// Mails that strangers get because of one client, and one address because of all clients.
const invitationsPerClient = 50
const invitationsPerAddress = 5

interface InvitationOrder {
  clientId: number
  email: string
  role: Role
  by: TeamActor & { name: string; language: Language }
}

/** Inviting people to a client by mail. */
export function openInvitations(context: PeopleContext) {
  const { db, clock, tries, hasSmtp, publicUrl } = context

  /** Invites a person by mail, instead of any earlier invitation of theirs; returns the link. */
  async function invite({ clientId, email, role, by }: InvitationOrder): Promise<string> {
    if (!isMailAddress(email))
      throw new Refusal(
        'validation_failed',
        reason('{email} is not a mail address', { email }, 'email'),
      )
    refuseOwners(by, role)
    const person = await findPersonByEmail(db, email)
    await refuseFlood(tries, clientId, email)
    const now = clock.now()
    const times = { createdAt: now, expiresAt: after(now, invitationMs) }
    const { code, row } = newCode(
      { kind: 'invitation', email, clientId, role, invitedBy: by.actor },
      times,
    )
    const url = `${publicUrl()}/dashboard/join/${code}`
    await db.transaction(async (tx) => {
      const members = await lockMembers(tx, clientId)
      if (person !== undefined && members.some(({ personId }) => personId === person.id))
        throw new Refusal('conflict', reason('{email} is in the team already', { email }, 'email'))
      const clientName = (await findClient(tx, clientId))?.name ?? ''
      await deleteInvitations(tx, { clientId, email })
      await insertCode(tx, row)
      const letter = {
        to: email,
        language: person?.language ?? by.language,
        clientName,
        invitedBy: `${by.name} (${by.actor})`,
        role,
        url,
        expiresAt: row.expiresAt,
        recordId: row.id,
      }
      await queueMail(tx, invitationMail(letter), now, hasSmtp)
      const details = { email, role }
      const record = { at: now, actor: by.actor, action: 'team.invite', clientId, details }
      await recordAudit(tx, record)
    })
    return url
  }

  const withdraw = (order: { clientId: number; id: string; by: TeamActor }): Promise<boolean> =>
    db.transaction(async (tx) => {
      const { clientId, by } = order
      const gone = await deleteInvitation(tx, order)
      if (gone === undefined) return false
      refuseOwners(by, gone.role)
      const details = { email: gone.email }
      const at = clock.now()
      await recordAudit(tx, { at, actor: by.actor, action: 'team.withdraw', clientId, details })
      return true
    })

  return {
    invite,
    withdraw,
    invitationsOf: (clientId: number) => readInvitations(db, clientId, clock.now()),
  }
}

/** Nobody is flooded with mails through us. */
async function refuseFlood(tries: Tries, clientId: number, email: string): Promise<void> {
  const isAllowed = await tries.take(
    [
      [['invitations', String(clientId)], invitationsPerClient],
      [['invitations', email.toLowerCase()], invitationsPerAddress],
    ],
    dayMs,
  )
  if (!isAllowed)
    throw new Refusal('rate_limited', 'Too many invitations today, try again tomorrow')
}
