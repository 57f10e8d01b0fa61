import type { PeopleParts } from '../context.ts'
import { findPerson } from '../store.ts'
import type { Attempt, SignInLimits } from '../tries/sign-in-limits.ts'
import { replacePassword } from './choose.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { refuseWeak } from './strength.ts'

/** A password, and where it is typed. */
interface Given extends Omit<Attempt, 'email'> {
  personId: string
  password: string
}

/** What a person who is signed in does with their password. */
export function openOwnPassword({ db, clock }: PeopleParts, limits: SignInLimits) {
  /** Whether this is the person's password; a wrong one counts as one at sign-in does. */
  async function check({ personId, password, ...place }: Given): Promise<boolean> {
    const person = await findPerson(db, personId)
    if (person === undefined) return false
    const attempt = { ...place, email: person.email }
    const taken = await limits.take(attempt)
    if (taken === undefined) return false
    const isRight = await isPassword(password, person.passwordHash)
    if (isRight) await taken.giveBack()
    return isRight
  }

  /** Replaces a password by a person who knows it; every other session ends. False: wrong. */
  async function change(order: Given & { before: string; keptSession: string }): Promise<boolean> {
    const { before, password, keptSession } = order
    const person = await findPerson(db, order.personId)
    if (person === undefined || !(await check({ ...order, password: before }))) return false
    refuseWeak(password, person.email)
    const hash = await hashPassword(password)
    const at = clock.now()
    await db.transaction((tx) => replacePassword(tx, { person, hash, at, keptSession }))
    return true
  }

  return { check, change }
}

export type OwnPassword = ReturnType<typeof openOwnPassword>
