import { readClients } from '../clients/store.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Language } from '../kit/language.ts'
import { isPassword } from './passwords.ts'
import {
  deleteSession,
  deleteSessionsOf,
  readSessionsOf,
  setSessionClient,
} from './session-store.ts'
import type { Origin } from './sessions.ts'
import { openSessions } from './sessions.ts'
import type { Attempt } from './sign-in-limits.ts'
import { openSignInLimits } from './sign-in-limits.ts'
import {
  findPerson,
  findPersonByEmail,
  readClientsOf,
  readMembers,
  updateLanguage,
} from './store.ts'

export type People = ReturnType<typeof openPeople>

/** What an attempt to sign in leads to. */
export type SignedIn =
  | { kind: 'in'; cookie: string; device: string }
  | { kind: 'wrong' }
  | { kind: 'too many' }

/** Opens the room: people, what they may do, and their sessions. */
export function openPeople(parts: { db: Db; clock: Clock; secretKey: Buffer }) {
  const { db } = parts
  const sessions = openSessions(parts)
  const limits = openSignInLimits(parts)

  async function signIn(
    attempt: Attempt & { password: string },
    origin: Origin,
  ): Promise<SignedIn> {
    if (!(await limits.isAllowed(attempt))) return { kind: 'too many' }
    const person = await findPersonByEmail(db, attempt.email)
    const isRight = await isPassword(attempt.password, person?.passwordHash ?? null)
    if (person === undefined || !isRight) {
      await limits.fail(attempt)
      return { kind: 'wrong' }
    }
    const cookie = await sessions.begin(person, origin)
    return { kind: 'in', cookie, device: limits.deviceOf(person.email) }
  }

  /** Whether this is the person's password; a wrong one counts as one at sign-in does. */
  async function checkPassword(
    personId: string,
    password: string,
    place: Omit<Attempt, 'email'>,
  ): Promise<boolean> {
    const person = await findPerson(db, personId)
    if (person === undefined) return false
    const attempt = { ...place, email: person.email }
    if (!(await limits.isAllowed(attempt))) return false
    const isRight = await isPassword(password, person.passwordHash)
    if (!isRight) await limits.fail(attempt)
    return isRight
  }

  return {
    sessions,
    signIn,
    checkPassword,
    signOut: (sessionId: string) => deleteSession(db, sessionId),
    signOutElsewhere: (personId: string, except: string | null) =>
      deleteSessionsOf(db, personId, except),
    sessionsOf: (personId: string) => readSessionsOf(db, personId),
    clientsOf: (personId: string) => readClientsOf(db, personId),
    membersOf: (clientId: number) => readMembers(db, clientId),
    /** Every client, for operators. */
    allClients: async () => (await readClients(db)).map(({ id, name }) => ({ id, name })),
    setLanguage: (personId: string, language: Language) => updateLanguage(db, personId, language),
    show: (sessionId: string, clientId: number) => setSessionClient(db, sessionId, clientId),
  }
}
