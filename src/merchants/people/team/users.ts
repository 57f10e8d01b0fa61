import type { Language } from '#base/kit/language.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import type { PeopleParts } from '../context.ts'
import { deleteFactors } from '../factors/store.ts'
import { addPasswordCode } from '../passwords/choose.ts'
import { type OperatorRole, type Role, raises } from '../rights.ts'
import {
  findDemoPeople,
  findPersonByEmail,
  insertMembership,
  type Person,
  readClientsOf,
  readPeople,
} from '../store.ts'
import { countPaired, isSame } from './approver.ts'
import { lockOperators } from './operator-store.ts'
import { setOperatorRole } from './operators.ts'
import { draftPerson, erasePerson, personOf, savePerson } from './person.ts'
import { removeMember, setRole } from './team.ts'

// Printed on a terminal and handed over by hand, which takes longer than reading a mail.
const handedCodeMs = 86_400_000

interface UserOrder {
  actor: string
  email: string
  name: string
  language: Language
  /** Null: the person chooses one with a code. */
  password: string | null
  operatorRole: OperatorRole | null
  /** Whether a right to approve is proposed once two people have it. */
  needsSecondPerson: boolean
  membership: { clientId: number; role: Role } | null
}

/** What whoever has the server does with people, on the command line. */
export function openUsers(context: PeopleParts) {
  const { db } = context
  return {
    add: (order: UserOrder) => addUser(context, order),
    remove: (order: RemovalOrder) => removeUser(context, order),
    reset: (order: ResetOrder) => resetUser(context, order),
    /** Everybody, or the people of one client. */
    list: (clientId: number | null) => readPeople(db, clientId),
    /** The mail addresses of demo people, whose passwords are public. */
    demoAddresses: () => findDemoPeople(db),
  }
}

/**
 * Creates a person, or gives an existing one a role in one more client or for the gateway. Returns
 * the code with which they choose a password; null: they have one.
 */
async function addUser(
  { db, clock }: PeopleParts,
  order: UserOrder,
): Promise<{ person: Person; code: string | null; isNew: boolean }> {
  const { email, membership, operatorRole, actor } = order
  const known = await findPersonByEmail(db, email)
  if (known !== undefined && order.password !== null)
    throw new Refusal(
      'conflict',
      reason('There is already a person with the address {email}', { email }),
    )
  const person = known ?? (await draftPerson(clock, order))
  const now = clock.now()
  return db.transaction(async (tx) => {
    await refuseThird(tx, now, order, known?.operatorRole ?? null)
    if (known === undefined) await savePerson(tx, person, actor)
    else if (operatorRole !== null)
      await setOperatorRole(
        tx,
        { clock },
        { personId: person.id, role: operatorRole, actor, by: null },
      )
    if (membership !== null) await addMembership(tx, { clock }, { person, ...membership, actor })
    const isOpen = person.passwordHash === null
    const code = isOpen ? (await addPasswordCode(tx, person, now, handedCodeMs)).code : null
    return { person, code, isNew: known === undefined }
  })
}

/** Who may approve first: two people, by whoever has the server. They decide on any other. */
async function refuseThird(
  tx: Tx,
  now: Date,
  { email, operatorRole, needsSecondPerson }: UserOrder,
  before: OperatorRole | null,
): Promise<void> {
  if (!needsSecondPerson || operatorRole === null || !raises(before, operatorRole)) return
  const others = (await lockOperators(tx)).filter((one) => !isSame(one.email, email))
  if (countPaired(others, 0, now) >= 2)
    throw new Refusal('conflict', 'Two people may approve already: propose it with --by EMAIL')
}

async function addMembership(
  tx: Tx,
  { clock }: Pick<PeopleParts, 'clock'>,
  order: { person: Person; clientId: number; role: Role; actor: string },
): Promise<void> {
  const { person, clientId, role, actor } = order
  const member = { personId: person.id, clientId, role }
  await insertMembership(tx, { ...member, createdAt: clock.now() })
  await setRole(tx, { clock }, { ...member, actor, actorRole: 'owner' })
}

interface RemovalOrder {
  email: string
  from: { clientId: number } | 'operators' | 'all'
  actor: string
}

/** Takes a person out of one client, or out of the operators, or out of all and deletes them. */
async function removeUser(
  { db, clock }: PeopleParts,
  { email, from, actor }: RemovalOrder,
): Promise<void> {
  const at = clock.now()
  const by = { actor, actorRole: 'owner' as const }
  await db.transaction(async (tx) => {
    const person = await personOf(tx, email)
    const all = await readClientsOf(tx, person.id)
    const isFrom = (clientId: number) => typeof from === 'object' && from.clientId === clientId
    const clients = all.filter(({ clientId }) => from === 'all' || isFrom(clientId))
    const isOperator = person.operatorRole !== null && typeof from === 'string'
    if (from !== 'all' && clients.length === 0 && !isOperator)
      throw new Refusal('not_found', reason('{email} is not in this team', { email }))
    for (const one of clients)
      await removeMember(tx, { clock }, { clientId: one.clientId, personId: person.id, ...by })
    if (isOperator) await setOperatorRole(tx, { clock }, { personId: person.id, role: null, actor })
    if (from === 'all') await erasePerson(tx, person, { at, actor })
  })
}

interface ResetOrder {
  email: string
  isFactorOff: boolean
  actor: string
}

/** A code with which a person chooses a new password; may also switch the second factor off. */
function resetUser(
  { db, clock }: PeopleParts,
  { email, isFactorOff, actor }: ResetOrder,
): Promise<string> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    const person = await personOf(tx, email)
    if (isFactorOff) await deleteFactors(tx, person.id)
    const { code } = await addPasswordCode(tx, person, at, handedCodeMs)
    const details = { email, isFactorOff }
    await recordAudit(tx, { at, actor, action: 'person.reset', details })
    return code
  })
}
