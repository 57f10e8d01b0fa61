import type { Db, Tx } from '../db/db.ts'
import { columns } from '../db/db.ts'
import type { Language } from '../kit/language.ts'
import type { Role } from './rights.ts'

export interface Person {
  id: string
  email: string
  name: string
  passwordHash: string | null
  language: Language
  operatorRole: 'operator' | null
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

export async function updateLanguage(db: Db, id: string, language: Language): Promise<void> {
  await db`update people set language = ${language} where id = ${id}`
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

export interface Member extends Membership {
  email: string
  name: string
  /** Has chosen a password. */
  hasJoined: boolean
  lastSeenAt: Date | null
}

/** The people of a client, first those who came first. */
export function readMembers(run: Db | Tx, clientId: number): Promise<Member[]> {
  return run<Member>`
    select m.person_id as "personId", m.client_id as "clientId", m.role,
      m.created_at as "createdAt", p.email, p.name, p.password_hash is not null as "hasJoined",
      (select max(s.last_seen_at) from sessions s where s.person_id = p.id) as "lastSeenAt"
    from memberships m join people p on p.id = m.person_id
    where m.client_id = ${clientId}
    order by m.created_at, p.email`
}
