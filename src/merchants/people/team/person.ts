import type { Clock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { toStorable } from '#data/db/storable-text.ts'
import { deletePasswordCodes } from '../codes/store.ts'
import { deleteFactors } from '../factors/store.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { refuseWeak } from '../passwords/strength.ts'
import type { OperatorRole } from '../rights.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { deletePerson, findPersonByEmail, insertPerson, type Person, updateName } from '../store.ts'

interface PersonOrder {
  email: string
  name: string
  /** Null: the person is to choose one. */
  password: string | null
  language: Language
  operatorRole?: OperatorRole | null
}

/** Why a text is no mail address. */
export function noMailAddress(email: string): Reason {
  return email.trim() === ''
    ? reason('An email address is needed, such as awa@example.com', {}, 'email')
    : reason('{email} is not an email address', { email }, 'email')
}

const nameMax = 80

export interface NameOrder {
  personId: string
  email: string
  name: string
}

/** Changes how a person is shown. */
export function setName(db: Db, { personId, email, name }: NameOrder): Promise<void> {
  return updateName(db, personId, cleanName(name, email))
}

/** A name as it is shown: on one line, not empty. */
function cleanName(name: string, email: string): string {
  return oneLine(toStorable(name), nameMax) || oneLine(email.split('@')[0] ?? email, nameMax)
}

/** Checks all of a new person and hashes the password; nothing is stored. */
export async function draftPerson(clock: Clock, order: PersonOrder): Promise<Person> {
  const { email, name, password, language, operatorRole = null } = order
  if (!isMailAddress(email)) throw new Refusal('validation_failed', noMailAddress(email))
  if (password !== null) refuseWeak(password, email)
  const createdAt = clock.now()
  return {
    id: newId(createdAt),
    email,
    name: cleanName(name, email),
    passwordHash: password === null ? null : await hashPassword(password),
    language,
    operatorRole,
    isDemo: false,
    createdAt,
  }
}

/** Stores a new person, who belongs to no client yet; refuses an address that is taken. */
export async function savePerson(tx: Tx, person: Person, actor: string): Promise<void> {
  const { email, operatorRole, createdAt: at } = person
  if (!(await insertPerson(tx, person)))
    throw new Refusal(
      'conflict',
      reason('There is already a person with the address {email}', { email }, 'email'),
    )
  const details = { email, ...(operatorRole === null ? {} : { operatorRole }) }
  await recordAudit(tx, { at, actor, action: 'person.create', details })
}

/** Deletes a person who belongs to no client any more, with sessions, codes and second factors. */
export async function erasePerson(
  tx: Tx,
  { id, email }: Person,
  { at, actor }: { at: Date; actor: string },
): Promise<void> {
  await deleteSessionsOf(tx, { personId: id, except: null })
  await deletePasswordCodes(tx, id)
  await deleteFactors(tx, id)
  await deletePerson(tx, id)
  await recordAudit(tx, { at, actor, action: 'person.remove', details: { email } })
}

/** The person with this mail address; refuses an unknown one. */
export async function personOf(run: Db | Tx, email: string): Promise<Person> {
  const person = await findPersonByEmail(run, email)
  if (person === undefined)
    throw new Refusal('not_found', reason('There is no person {email}', { email }))
  return person
}
