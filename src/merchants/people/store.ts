import type { Language } from '#base/kit/language.ts'
import { columns, type Db, type Tx } from '#data/db/db.ts'
import type { OperatorRole, Role } from './rights.ts'

export interface Person {
  id: string
  email: string
  name: string
  passwordHash: string | null
  language: Language
  /** What the person is for the gateway itself; null: nothing. */
  operatorRole: OperatorRole | null
  isDemo: boolean
  createdAt: Date
}

const personColumns = columns([
  'id',
  'email',
  'name',
  'password_hash',
  'language',
  'operator_role',
  'is_demo',
  'created_at',
])

/** False when the mail address is taken. */
export async function insertPerson(tx: Tx, person: Person): Promise<boolean> {
  const rows = await tx`
    insert into people (id, email, name, password_hash, language, operator_role, is_demo,
      created_at)
    values (${person.id}, ${person.email}, ${person.name}, ${person.passwordHash},
      ${person.language}, ${person.operatorRole}, ${person.isDemo}, ${person.createdAt})
    on conflict (lower(email)) do nothing
    returning id`
  return rows.length === 1
}

export async function findPerson(run: Db | Tx, id: string): Promise<Person | undefined> {
  const [found] = await run<Person>`select ${personColumns} from people where id = ${id}`
  return found
}

export async function findPersonByEmail(run: Db | Tx, email: string): Promise<Person | undefined> {
  const [found] = await run<Person>`
    select ${personColumns} from people where lower(email) = lower(${email})`
  return found
}

export interface LanguageOrder {
  personId: string
  language: Language
}

export async function updateLanguage(db: Db, { personId, language }: LanguageOrder): Promise<void> {
  await db`update people set language = ${language} where id = ${personId}`
}

export async function updateName(db: Db, id: string, name: string): Promise<void> {
  await db`update people set name = ${name} where id = ${id}`
}

export async function updatePassword(tx: Tx, id: string, hash: string): Promise<void> {
  await tx`update people set password_hash = ${hash} where id = ${id}`
}

/** Keeps who has invited a person: the two count as one where two have to decide. */
export async function addInviter(tx: Tx, id: string, inviter: string): Promise<void> {
  await tx`
    update people set invited_by = array_append(array_remove(invited_by, ${inviter}), ${inviter})
    where id = ${id}`
}

export async function deletePerson(tx: Tx, id: string): Promise<void> {
  await tx`delete from people where id = ${id}`
}

/** The mail addresses of demo people, whose passwords are public. */
export async function findDemoPeople(run: Db | Tx): Promise<string[]> {
  const rows = await run<{ email: string }>`select email from people where is_demo order by email`
  return rows.map(({ email }) => email)
}

export interface Membership {
  personId: string
  clientId: number
  role: Role
  createdAt: Date
}

/** Adds a person to a client, or changes the role there. */
export async function upsertMembership(tx: Tx, one: Membership): Promise<void> {
  await tx`
    insert into memberships (person_id, client_id, role, created_at)
    values (${one.personId}, ${one.clientId}, ${one.role}, ${one.createdAt})
    on conflict (person_id, client_id) do update set role = excluded.role`
}

/** Adds a person to a client; whoever is there already keeps their role. */
export async function insertMembership(tx: Tx, one: Membership): Promise<void> {
  await tx`
    insert into memberships (person_id, client_id, role, created_at)
    values (${one.personId}, ${one.clientId}, ${one.role}, ${one.createdAt})
    on conflict (person_id, client_id) do nothing`
}

export async function deleteMembership(
  tx: Tx,
  { personId, clientId }: Pick<Membership, 'personId' | 'clientId'>,
): Promise<void> {
  await tx`delete from memberships where person_id = ${personId} and client_id = ${clientId}`
}

/** The people of a client, locked until the transaction ends. */
export function lockMembers(
  tx: Tx,
  clientId: number,
): Promise<{ personId: string; role: Role; email: string }[]> {
  return tx`
    select m.person_id as "personId", m.role, p.email
    from memberships m join people p on p.id = m.person_id
    where m.client_id = ${clientId}
    order by m.person_id
    for update of m`
}

export interface ClientOfPerson {
  clientId: number
  name: string
  role: Role
}

/** The clients a person belongs to, by name. */
export function readClientsOf(run: Db | Tx, personId: string): Promise<ClientOfPerson[]> {
  return run<ClientOfPerson>`
    select m.client_id as "clientId", c.name, m.role
    from memberships m join clients c on c.id = m.client_id
    where m.person_id = ${personId}
    order by c.name`
}

/** Whose log tells of a person: the client's, if there is one alone; operators see everybody. */
export function onlyClient(clients: ClientOfPerson[]): { clientId?: number } {
  const [first, second] = clients
  return first === undefined || second !== undefined ? {} : { clientId: first.clientId }
}

export interface Member extends Membership {
  email: string
  name: string
  language: Language
  /** Has chosen a password. */
  hasJoined: boolean
  lastSeenAt: Date | null
}

/** The people of a client, first those who came first. */
export function readMembers(run: Db | Tx, clientId: number): Promise<Member[]> {
  return run<Member>`
    select m.person_id as "personId", m.client_id as "clientId", m.role,
      m.created_at as "createdAt", p.email, p.name, p.language,
      p.password_hash is not null as "hasJoined",
      (select max(s.last_seen_at) from sessions s where s.person_id = p.id) as "lastSeenAt"
    from memberships m join people p on p.id = m.person_id
    where m.client_id = ${clientId}
    order by m.created_at, p.email`
}

/** A person with the roles they have, for operators. */
export interface ListedPerson extends Omit<Person, 'passwordHash'> {
  hasPassword: boolean
  hasSecondFactor: boolean
  /** By the names of clients. */
  roles: Record<string, Role>
}

/** Everybody, or the people of one client, by mail address. */
export function readPeople(db: Db, clientId: number | null): Promise<ListedPerson[]> {
  return db<ListedPerson>`
    select p.id, p.email, p.name, p.language, p.operator_role as "operatorRole",
      p.is_demo as "isDemo", p.created_at as "createdAt",
      p.password_hash is not null as "hasPassword",
      exists (select from second_factors f where f.person_id = p.id and f.confirmed_at is not null)
        or exists (select from passkeys k where k.person_id = p.id) as "hasSecondFactor",
      coalesce((select jsonb_object_agg(c.name, m.role)
        from memberships m join clients c on c.id = m.client_id where m.person_id = p.id), '{}')
        as roles
    from people p
    where ${clientId}::integer is null or exists (
      select from memberships m where m.person_id = p.id and m.client_id = ${clientId})
    order by lower(p.email)`
}

/**
 * The mail addresses, in lower case, of all who are or were of a client, by its members and its
 * audit log.
 */
export async function readTeamAddresses(db: Db, clientId: number): Promise<Set<string>> {
  const rows = await db<{ email: string }>`
    select lower(p.email) as email
    from memberships m join people p on p.id = m.person_id
    where m.client_id = ${clientId}
    union
    select lower(case action when 'team.join' then actor else details ->> 'email' end)
    from audit_log
    where client_id = ${clientId} and action in ('team.join', 'team.role', 'team.remove')`
  return new Set(rows.map(({ email }) => email))
}
