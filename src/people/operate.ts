import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Language } from '../kit/language.ts'
import { addPasswordCode } from './choose-password.ts'
import { deleteFactor } from './factor-store.ts'
import { draftPerson, erasePerson, personOf, savePerson } from './people.ts'
import type { Role } from './rights.ts'
import type { Person } from './store.ts'
import { findPersonByEmail, insertMembership, readClientsOf } from './store.ts'
import { removeMember, setRole } from './team.ts'

// Printed on a terminal and handed over by hand, which takes longer than reading a mail.
const handedCodeMs = 86_400_000

interface Parts {
  db: Db
  clock: Clock
  actor: string
}

interface UserOrder {
  email: string
  name: string
  language: Language
  /** Null: the person chooses one with a code. */
  password: string | null
  isOperator: boolean
  membership: { clientId: number; role: Role } | null
}

/**
 * Creates a person, or gives an existing one a role in one more client. Returns the code with which
 * they choose a password; null: they have one.
 */
export async function addUser(
  { db, clock, actor }: Parts,
  order: UserOrder,
): Promise<{ person: Person; code: string | null; isNew: boolean }> {
  const { email, membership, isOperator } = order
  const known = await findPersonByEmail(db, email)
  if (known !== undefined && (membership === null || isOperator || order.password !== null))
    throw new Refusal(
      'conflict',
      reason('There is already a person with the address {email}', { email }),
    )
  const operatorRole = isOperator ? ('operator' as const) : null
  const person = known ?? (await draftPerson(clock, { ...order, operatorRole }))
  const now = clock.now()
  return db.transaction(async (tx) => {
    if (known === undefined) await savePerson(tx, person, actor)
    if (membership !== null) await addMembership(tx, { person, ...membership, now, actor })
    const isOpen = person.passwordHash === null
    const code = isOpen ? (await addPasswordCode(tx, person, now, handedCodeMs)).code : null
    return { person, code, isNew: known === undefined }
  })
}

async function addMembership(
  tx: Tx,
  order: { person: Person; clientId: number; role: Role; now: Date; actor: string },
): Promise<void> {
  const { person, clientId, role, now, actor } = order
  const member = { personId: person.id, clientId, role }
  await insertMembership(tx, { ...member, createdAt: now })
  await setRole(tx, now, { ...member, by: { actor, role: 'owner' } })
}

/** Takes a person out of one client, or out of all and deletes them. */
export async function removeUser(
  { db, clock, actor }: Parts,
  { email, clientId }: { email: string; clientId: number | null },
): Promise<void> {
  const at = clock.now()
  const by = { actor, role: 'owner' as const }
  await db.transaction(async (tx) => {
    const person = await personOf(tx, email)
    const all = await readClientsOf(tx, person.id)
    const clients = clientId === null ? all : all.filter((one) => one.clientId === clientId)
    if (clientId !== null && clients.length === 0)
      throw new Refusal('not_found', reason('{email} is not in this team', { email }))
    for (const one of clients)
      await removeMember(tx, at, { clientId: one.clientId, personId: person.id, by })
    if (clientId === null) await erasePerson(tx, person, { at, actor })
  })
}

/** A code with which a person chooses a new password; may also switch the second factor off. */
export function resetUser(
  { db, clock, actor }: Parts,
  { email, isFactorOff }: { email: string; isFactorOff: boolean },
): Promise<string> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    const person = await personOf(tx, email)
    if (isFactorOff) await deleteFactor(tx, person.id)
    const { code } = await addPasswordCode(tx, person, at, handedCodeMs)
    const details = { email, isFactorOff }
    await recordAudit(tx, { at, actor, action: 'person.reset', details })
    return code
  })
}
