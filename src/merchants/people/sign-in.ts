import { recordAudit } from '#data/db/audit-log.ts'
import type { PeopleContext } from './context.ts'
import type { Factors } from './factors.ts'
import { openOwnPassword } from './own-password.ts'
import type { Passkeys } from './passkeys.ts'
import { isPassword } from './passwords.ts'
import { openProofs } from './proofs.ts'
import { openSecondStep } from './second-step.ts'
import type { Origin } from './sessions.ts'
import { type Attempt, openSignInLimits } from './sign-in-limits.ts'
import { findPerson, findPersonByEmail, onlyClient, type Person, readClientsOf } from './store.ts'

/** A person is in: the values of the two cookies. */
export interface In {
  kind: 'in'
  cookie: string
  device: string
}

/** In, or almost: `proof` says that the password was right, until a second step is done too. */
export type Entered = In | { kind: 'code'; proof: string }

/** What an attempt to sign in leads to. */
export type SignedIn = Entered | { kind: 'wrong' } | { kind: 'too many' }

/** Signing in, and proving again who one is. */
export function openSignIn(
  context: PeopleContext,
  { factors, passkeys }: { factors: Factors; passkeys: Passkeys },
) {
  const { db, clock, log, sessions } = context
  const limits = openSignInLimits(context)
  const proofs = openProofs(context)

  async function signIn(
    attempt: Attempt & { password: string },
    origin: Origin,
  ): Promise<SignedIn> {
    const taken = await limits.take(attempt)
    if (taken === undefined) return { kind: 'too many' }
    const person = await findPersonByEmail(db, attempt.email)
    const isRight = await isPassword(attempt.password, person?.passwordHash ?? null)
    if (person === undefined) return { kind: 'wrong' }
    if (!isRight) return refuse(person, 'password')
    await taken.giveBack()
    return enter(person, origin)
  }

  /** Lets in a person who has proved who they are, unless a second factor is to follow. */
  async function enter(person: Person, origin: Origin): Promise<Entered> {
    const { isOn } = await factors.stateOf(person.id)
    return isOn ? { kind: 'code', proof: proofs.make(person) } : begin(person, origin)
  }

  async function begin(person: Person, origin: Origin): Promise<In> {
    const cookie = await sessions.begin(person, origin)
    return { kind: 'in', cookie, device: limits.deviceOf(person.email) }
  }

  /**
   * Records a wrong password or code, of which limits let few through. Nobody waits for it: the
   * time of the answer would tell that the person exists.
   */
  function refuse(person: Person, step: 'password' | 'code' | 'passkey'): { kind: 'wrong' } {
    const record = { at: clock.now(), actor: person.email, action: 'session.refuse' }
    void readClientsOf(db, person.id)
      .then((clients) =>
        db.transaction((tx) =>
          recordAudit(tx, { ...record, ...onlyClient(clients), details: { step } }),
        ),
      )
      .catch((problem: unknown) => log.error({ err: problem }, 'a refused sign-in is not recorded'))
    return { kind: 'wrong' }
  }

  /** Signing in without a password. */
  async function signInByPasskey(
    credential: string,
    origin: Origin,
  ): Promise<In | { kind: 'wrong' }> {
    const personId = await passkeys.check(credential, null)
    const person = personId === undefined ? undefined : await findPerson(db, personId)
    return person === undefined ? { kind: 'wrong' } : begin(person, origin)
  }

  return {
    signIn,
    enter,
    ...openSecondStep({ factors, passkeys, proofs, begin, refuse }),
    signInByPasskey,
    ...openOwnPassword(context, limits),
  }
}
