import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { Language } from '../kit/language.ts'
import { isMailAddress } from '../kit/mail-address.ts'
import { hashPassword, passwordLengthMax, passwordLengthMin } from './passwords.ts'
import type { Role } from './rights.ts'
import type { Person } from './store.ts'
import { findPersonByEmail, insertPerson, upsertMembership } from './store.ts'

interface PersonOrder {
  email: string
  name: string
  /** Null: the person is to choose one. */
  password: string | null
  language: Language
  operatorRole?: 'operator' | null
  /** Its password is public: any password is taken, and live mode refuses the person. */
  isDemo?: boolean
  actor: string
}

/** Refuses a password that people guess: too short, or the mail address itself. */
export function checkPassword(password: string, email: string): void {
  const { length } = password
  if (length < passwordLengthMin || length > passwordLengthMax)
    throw new Refusal(
      'validation_failed',
      reason(
        'A password has from {min} to {max} characters',
        { min: passwordLengthMin, max: passwordLengthMax },
        'password',
      ),
    )
  if (password.toLowerCase().includes(email.toLowerCase()))
    throw new Refusal(
      'validation_failed',
      reason('A password must not contain the mail address', {}, 'password'),
    )
}

/** Creates a person who belongs to no client yet. */
export async function createPerson(db: Db, clock: Clock, order: PersonOrder): Promise<Person> {
  const { email, name, password, language, operatorRole = null, isDemo = false, actor } = order
  if (!isMailAddress(email))
    throw new Refusal(
      'validation_failed',
      reason('{email} is not a mail address', { email }, 'email'),
    )
  if (password !== null && !isDemo) checkPassword(password, email)
  // Outside the transaction: it takes a while.
  const passwordHash = password === null ? null : await hashPassword(password)
  const createdAt = clock.now()
  const person: Person = {
    id: newId(createdAt),
    email,
    name: name.trim() === '' ? (email.split('@')[0] ?? email) : name.trim(),
    passwordHash,
    language,
    operatorRole,
    isDemo,
    createdAt,
  }
  await db.transaction(async (tx) => {
    if (!(await insertPerson(tx, person)))
      throw new Refusal(
        'conflict',
        reason('There is already a person with the address {email}', { email }, 'email'),
      )
    const details = { email, ...(operatorRole === null ? {} : { operatorRole }) }
    await recordAudit(tx, { at: createdAt, actor, action: 'person.create', details })
  })
  return person
}

/** Gives a person a role in a client. */
export async function grantRole(
  tx: Tx,
  clock: Clock,
  order: { personId: string; email: string; clientId: number; role: Role; actor: string },
): Promise<void> {
  const { personId, email, clientId, role, actor } = order
  const at = clock.now()
  await upsertMembership(tx, { personId, clientId, role, createdAt: at })
  await recordAudit(tx, { at, actor, action: 'team.role', clientId, details: { email, role } })
}

/** The person with this mail address; refuses an unknown one. */
export async function personOf(run: Db | Tx, email: string): Promise<Person> {
  const person = await findPersonByEmail(run, email)
  if (person === undefined)
    throw new Refusal('not_found', reason('There is no person {email}', { email }))
  return person
}
