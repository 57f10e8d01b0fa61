import { replacePassword } from './choose-password.ts'
import type { PeopleContext } from './context.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { checkPassword as checkStrength } from './people.ts'
import type { Attempt, SignInLimits } from './sign-in-limits.ts'
import { findPerson } from './store.ts'

/** What a person who is signed in does with their password. */
export function openOwnPassword({ db, clock }: PeopleContext, limits: SignInLimits) {
  /** Whether this is the person's password; a wrong one counts as one at sign-in does. */
  async function checkPassword(
    personId: string,
    password: string,
    place: Omit<Attempt, 'email'>,
  ): Promise<boolean> {
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
  async function changePassword(
    change: { personId: string; before: string; password: string; keptSession: string },
    place: Omit<Attempt, 'email'>,
  ): Promise<boolean> {
    const { personId, before, password, keptSession } = change
    const person = await findPerson(db, personId)
    if (person === undefined || !(await checkPassword(personId, before, place))) return false
    checkStrength(password, person.email)
    const hash = await hashPassword(password)
    const at = clock.now()
    await db.transaction((tx) => replacePassword(tx, { person, hash, at, keptSession }))
    return true
  }

  return { checkPassword, changePassword }
}
