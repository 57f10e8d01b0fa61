import type { Tx } from '#data/db/db.ts'
import { type KeptLinkOrder, takeKeptLink } from './codes/kept-links.ts'
import type { PeopleContext, PeopleParts } from './context.ts'
import { openFactors } from './factors/factors.ts'
import { openFactorSafe } from './factors/safe.ts'
import { openFactorSetup } from './factors/setup.ts'
import { openChallenges } from './passkeys/challenges.ts'
import { openPasskeys } from './passkeys/passkeys.ts'
import { openPasskeySetup } from './passkeys/setup.ts'
import { openPasswordChoice } from './passwords/choose.ts'
import { openOwnPassword } from './passwords/own.ts'
import { openForms } from './sessions/forms.ts'
import { openSessions } from './sessions/sessions.ts'
import {
  deleteOwnSession,
  deleteSessionsOf,
  type EndOrder,
  type EndOthersOrder,
  readSessionsOf,
  type ShowOrder,
  setSessionClient,
} from './sessions/store.ts'
import { openProving } from './sign-in/prove.ts'
import { openSecondStep } from './sign-in/second-step.ts'
import { openSignIn } from './sign-in/sign-in.ts'
import {
  type LanguageOrder,
  readClientsOf,
  readMembers,
  readTeamAddresses,
  updateLanguage,
} from './store.ts'
import { sweep } from './sweep.ts'
import { type Grant, recordGrant } from './team/grants.ts'
import { openInvitations } from './team/invitations.ts'
import { openJoining } from './team/join.ts'
import { readOperators } from './team/operator-store.ts'
import { type OperatorOrder, setOperatorRole } from './team/operators.ts'
import { type NameOrder, setName } from './team/person.ts'
import {
  type AloneOrder,
  isAloneWith,
  type MemberOrder,
  type RoleOrder,
  removeMember,
  setRole,
} from './team/team.ts'
import { openUsers } from './team/users.ts'
import { openSignInLimits } from './tries/sign-in-limits.ts'
import { openTries } from './tries/tries.ts'

export type People = ReturnType<typeof openPeople>

/** Opens the room: people, what they may do, and their sessions. */
export function openPeople(parts: PeopleParts) {
  const { db } = parts
  const context: PeopleContext = { ...parts, tries: openTries(parts) }
  const sessions = openSessions(parts)
  const limits = openSignInLimits(context)
  const ownPassword = openOwnPassword(context, limits)
  const safe = openFactorSafe(context)
  const factors = openFactors(context, safe)
  const challenges = openChallenges(context)
  const passkeys = openPasskeys(context, challenges)
  const signIn = openSignIn(context, { sessions, factors, passkeys, limits })
  const secondStep = openSecondStep({ signIn, factors, passkeys })
  const proving = openProving(context, { ownPassword, factors })
  return {
    // How people prove who they are, and what they prove it with
    signIn: signIn.signIn,
    signInByPasskey: signIn.signInByPasskey,
    enter: signIn.enter,
    offerSecondStep: secondStep.offer,
    takeSecondStep: secondStep.take,
    proveOperator: proving.proveOperator,
    proveMember: proving.proveMember,
    passwords: { ...ownPassword, ...openPasswordChoice(context) },
    factors: { ...factors, ...openFactorSetup(context, safe) },
    passkeys: { ...passkeys, ...openPasskeySetup(context, { safe, challenges }) },

    // What a person who is signed in does with their sessions, their forms and themselves
    sessions: {
      ...sessions,
      list: (personId: string) => readSessionsOf(db, personId),
      show: (order: ShowOrder) => setSessionClient(db, order),
      endOne: (order: EndOrder) => deleteOwnSession(db, order),
      endOthers: (order: EndOthersOrder) => deleteSessionsOf(db, order),
    },
    forms: openForms(parts),
    clientsOf: (personId: string) => readClientsOf(db, personId),
    setLanguage: (order: LanguageOrder) => updateLanguage(db, order),
    setName: (order: NameOrder) => setName(db, order),

    // Who belongs to which client, and who operates the gateway
    invitations: {
      ...openInvitations(context),
      ...openJoining(context),
      takeKeptLink: (order: KeptLinkOrder) => takeKeptLink(context, order),
    },
    team: {
      list: (clientId: number) => readMembers(db, clientId),
      addressesOf: (clientId: number) => readTeamAddresses(db, clientId),
      isAloneWith: (order: AloneOrder) => isAloneWith(db, order),
      changeRole: (order: RoleOrder) => db.transaction((tx) => setRole(tx, parts, order)),
      remove: (order: MemberOrder) => db.transaction((tx) => removeMember(tx, parts, order)),
    },
    operators: {
      list: () => readOperators(db),
      setRole: (order: OperatorOrder) => db.transaction((tx) => setOperatorRole(tx, parts, order)),
      /** Gives a right to approve: only what another person has approved gets here. */
      recordGrant: (tx: Tx, grant: Grant) => recordGrant(tx, context, grant),
    },
    users: openUsers(context),
    /** Deletes what is over; called now and then. */
    sweep: (now: Date) => sweep(db, now),
  }
}
