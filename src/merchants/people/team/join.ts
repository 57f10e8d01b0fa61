import type { Language } from '#base/kit/language.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { codeOver, hashOfCode } from '../codes/codes.ts'
import { type AccessCode, findCode, type Invitation, takeCode } from '../codes/store.ts'
import type { PeopleParts } from '../context.ts'
import {
  addInviter,
  findPerson,
  findPersonByEmail,
  insertMembership,
  type Person,
} from '../store.ts'
import { setOperatorRole } from './operators.ts'
import { draftPerson, savePerson } from './person.ts'

/** What a person who opens an invitation sees. */
export type OpenInvitation = Invitation & {
  /** Null: of the gateway itself. */
  clientName: string | null
  /** The person who has this address already; undefined: nobody yet. */
  person: Person | undefined
}

interface AcceptOrder {
  code: string
  personId: string
}

/** Accepting an invitation. */
export function openJoining({ db, clock }: PeopleParts) {
  /** The invitation of a code, to be shown; undefined: it is not valid, or no longer. */
  async function find(code: string): Promise<OpenInvitation | undefined> {
    const found = await findCode(db, hashOfCode(code), clock.now())
    if (found === undefined || !isInvitation(found)) return undefined
    const client = found.clientId === null ? null : await findClient(db, found.clientId)
    const clientName = client === null ? null : (client?.name ?? '')
    return { ...found, clientName, person: await findPersonByEmail(db, found.email) }
  }

  /** Adds a person who is signed in, and whose address was invited; refuses any other. */
  function acceptAs({ code, personId }: AcceptOrder): Promise<{ clientId: number | null }> {
    return db.transaction(async (tx) => {
      const invitation = await takeInvitation(tx, code)
      const person = await findPerson(tx, personId)
      if (person?.email.toLowerCase() !== invitation.email.toLowerCase()) throw codeOver()
      await join(tx, invitation, person)
      return { clientId: invitation.clientId }
    })
  }

  /** Creates the person who was invited, with a password of their own. */
  async function acceptAsNew(order: {
    code: string
    name: string
    password: string
    language: Language
  }): Promise<{ person: Person; clientId: number | null }> {
    const { code } = order
    const { email } = (await find(code)) ?? {}
    if (email === undefined) throw codeOver()
    // Outside the transaction: hashing takes a while.
    const person = await draftPerson(clock, { ...order, email })
    return db.transaction(async (tx) => {
      const invitation = await takeInvitation(tx, code)
      await savePerson(tx, person, email)
      await join(tx, invitation, person)
      return { person, clientId: invitation.clientId }
    })
  }

  async function takeInvitation(tx: Tx, code: string): Promise<Invitation> {
    const taken = await takeCode(tx, hashOfCode(code), clock.now())
    if (taken === undefined || !isInvitation(taken)) throw codeOver()
    return taken
  }

  /** Whoever is a member already keeps their role. */
  async function join(
    tx: Tx,
    { clientId, role, invitedBy }: Invitation,
    person: Person,
  ): Promise<void> {
    const { id: personId, email } = person
    await addInviter(tx, personId, invitedBy)
    if (clientId === null) {
      if (person.operatorRole === null)
        await setOperatorRole(tx, { clock }, { personId, role, actor: email, by: invitedBy })
      return
    }
    await insertMembership(tx, { personId, clientId, role, createdAt: clock.now() })
    const details = { email, role }
    const record = { at: clock.now(), actor: email, action: 'team.join', clientId, details }
    await recordAudit(tx, record)
  }

  return { find, acceptAs, acceptAsNew }
}

function isInvitation(code: AccessCode): code is Invitation {
  return code.kind === 'invitation'
}
