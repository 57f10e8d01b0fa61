import type { Language } from '#base/kit/language.ts'
import type { Tx } from '#data/db/db.ts'
import { openPasswordChoice } from './choose-password.ts'
import type { PeopleContext, PeopleParts } from './context.ts'
import { openFactorSafe } from './factor-safe.ts'
import { openFactors } from './factors.ts'
import { recordGrant } from './grants.ts'
import { openInvitations } from './invitations.ts'
import { openJoining } from './join.ts'
import { takeKeptLink } from './kept-links.ts'
import { readOperators } from './operator-store.ts'
import { setOperatorRole } from './operators.ts'
import { openPasskeys } from './passkeys.ts'
import { cleanName } from './people.ts'
import { openProving } from './prove.ts'
import { type Action, may } from './rights.ts'
import {
  deleteOwnSession,
  deleteSession,
  deleteSessionsOf,
  readSessionsOf,
  setSessionClient,
} from './session-store.ts'
import { openSessions, shownBy } from './sessions.ts'
import { openSignIn } from './sign-in.ts'
import { readClientsOf, readMembers, updateLanguage, updateName } from './store.ts'
import { removeMember, setRole } from './team.ts'
import { openTries } from './tries.ts'

export type People = ReturnType<typeof openPeople>

/** Opens the room: people, what they may do, and their sessions. */
export function openPeople(parts: PeopleParts) {
  const { db, clock } = parts
  const sessions = openSessions(parts)
  const context: PeopleContext = { ...parts, sessions, tries: openTries(parts) }
  const safe = openFactorSafe(context)
  const factors = openFactors(context, safe)
  const passkeys = openPasskeys(context, safe)
  const invitations = openInvitations(context)
  const signIn = openSignIn(context, { factors, passkeys })
  return {
    sessions,
    factors,
    passkeys,
    team: {
      ...invitations.toClients,
      ...openJoining(context),
      changeRole: (order: Parameters<typeof setRole>[2]) =>
        db.transaction((tx) => setRole(tx, clock.now(), order)),
      removeMember: (order: Parameters<typeof removeMember>[2]) =>
        db.transaction((tx) => removeMember(tx, clock.now(), order)),
    },
    operators: {
      ...invitations.toOperators,
      list: () => readOperators(db),
      /** Gives a right to approve: only what another person has approved gets here. */
      recordGrant: (tx: Tx, at: Date, grant: Parameters<typeof recordGrant>[3]) =>
        recordGrant(tx, context, at, grant),
      /** Changes what an operator may do, or ends it; false: nobody has this id. */
      setRole: (order: Parameters<typeof setOperatorRole>[2]) =>
        db.transaction((tx) => setOperatorRole(tx, clock.now(), order)),
    },
    ...signIn,
    ...openProving(context, { ...signIn, factors }),
    ...openPasswordChoice(context),
    /** The link of a mail that could not leave, once. */
    takeKeptLink: (order: Parameters<typeof takeKeptLink>[1]) => takeKeptLink(parts, order),
    signOut: (sessionId: string) => deleteSession(db, sessionId),
    signOutOf: (personId: string, sessionId: string) => deleteOwnSession(db, personId, sessionId),
    /** Ends every session of a person but this one. */
    signOutElsewhere: (personId: string, except: string) => deleteSessionsOf(db, personId, except),
    /** What the session of each cookie's value shows, as which role; left out: it has ended. */
    shownBy: (values: string[]) => shownBy(db, values),
    sessionsOf: (personId: string) => readSessionsOf(db, personId),
    clientsOf: (personId: string) => readClientsOf(db, personId),
    membersOf: (clientId: number) => readMembers(db, clientId),
    /** Whether one person alone may do something in a client. */
    isAloneWith: async (clientId: number, action: Action) =>
      (await readMembers(db, clientId)).filter(
        ({ role, hasJoined }) => hasJoined && may(role, action),
      ).length === 1,
    setLanguage: (personId: string, language: Language) => updateLanguage(db, personId, language),
    setName: (person: { id: string; email: string }, name: string) =>
      updateName(db, person.id, cleanName(name, person.email)),
    show: (sessionId: string, clientId: number) => setSessionClient(db, sessionId, clientId),
  }
}
