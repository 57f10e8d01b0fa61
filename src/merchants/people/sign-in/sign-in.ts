import { recordAudit } from '#data/db/audit-log.ts'
import type { PeopleParts } from '../context.ts'
import type { Factors } from '../factors/factors.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import { isPassword } from '../passwords/passwords.ts'
import type { Origin, Sessions } from '../sessions/sessions.ts'
import { findPerson, findPersonByEmail, onlyClient, type Person, readClientsOf } from '../store.ts'
import { type Attempt, type SignInLimits } from '../tries/sign-in-limits.ts'
import { openProofs } from './proofs.ts'

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
  context: PeopleParts,
  parts: { sessions: Sessions; factors: Factors; passkeys: Passkeys; limits: SignInLimits },
) {
  const { db, clock, log } = context
  const { sessions, factors, passkeys, limits } = parts
  const proofs = openProofs(context)

  async function signIn(attempt: Attempt & Origin & { password: string }): Promise<SignedIn> {
    const taken = await limits.take(attempt)
    if (taken === undefined) return { kind: 'too many' }
    const person = await findPersonByEmail(db, attempt.email)
    const isRight = await isPassword(attempt.password, person?.passwordHash ?? null)
    if (person === undefined) return { kind: 'wrong' }
    if (!isRight) return refuse(person, 'password')
    await taken.giveBack()
    return enter({ ...attempt, person })
  }

  /** Lets in a person who has proved who they are, unless a second factor is to follow. */
  async function enter(order: Origin & { person: Person }): Promise<Entered> {
    const { isOn } = await factors.stateOf(order.person.id)
    return isOn ? { kind: 'code', proof: proofs.make(order.person) } : begin(order)
  }

  async function begin(order: Origin & { person: Person }): Promise<In> {
    const cookie = await sessions.begin(order)
    return { kind: 'in', cookie, device: limits.deviceOf(order.person.email) }
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
  async function signInByPasskey({
    credential,
    ...origin
  }: Origin & { credential: string }): Promise<In | { kind: 'wrong' }> {
    const personId = await passkeys.check({ credential, personId: null })
    const person = personId === undefined ? undefined : await findPerson(db, personId)
    return person === undefined ? { kind: 'wrong' } : begin({ person, ...origin })
  }

  return { signIn, enter, signInByPasskey, proofs, begin, refuse }
}

export type SignIn = ReturnType<typeof openSignIn>
