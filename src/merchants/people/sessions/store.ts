import type { Language } from '#base/kit/language.ts'
import type { Db, Tx } from '#data/db/db.ts'
import type { OperatorRole, Role } from '../rights.ts'

export interface NewSession {
  hash: Buffer
  id: string
  personId: string
  clientId: number | null
  now: Date
  address: string
  agent: string
}

export async function insertSession(tx: Tx, one: NewSession): Promise<void> {
  await tx`
    insert into sessions (hash, id, person_id, client_id, created_at, last_seen_at, confirmed_at,
      address, agent)
    values (${one.hash}, ${one.id}, ${one.personId}, ${one.clientId}, ${one.now}, ${one.now},
      ${one.now}, ${one.address}, ${one.agent})`
}

/** A session with what every page needs of its person and the client that is shown. */
export interface SessionRow {
  id: string
  personId: string
  createdAt: Date
  lastSeenAt: Date
  confirmedAt: Date
  message: string | null
  email: string
  personName: string
  language: Language
  operatorRole: OperatorRole | null
  hasSecondFactor: boolean
  clientId: number | null
  clientName: string | null
  timeZone: string | null
  /** What the person is in the client that is shown; null: nothing, or no client is shown. */
  role: Role | null
}

export async function findSession(db: Db, hash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await db<SessionRow>`
    select s.id, s.person_id as "personId", s.created_at as "createdAt",
      s.last_seen_at as "lastSeenAt", s.confirmed_at as "confirmedAt", s.message,
      p.email, p.name as "personName", p.language, p.operator_role as "operatorRole",
      exists (select from second_factors f where f.person_id = p.id and f.confirmed_at is not null)
        or exists (select from passkeys k where k.person_id = p.id) as "hasSecondFactor",
      c.id as "clientId", c.name as "clientName", c.time_zone as "timeZone", m.role
    from sessions s
      join people p on p.id = s.person_id
      left join clients c on c.id = s.client_id
      left join memberships m on m.person_id = s.person_id and m.client_id = s.client_id
    where s.hash = ${hash}`
  return row
}

export async function touchSession(
  db: Db,
  { id, now, address }: { id: string; now: Date; address: string },
): Promise<void> {
  await db`
    update sessions set last_seen_at = ${now}, address = ${address} where id = ${id}`
}

/** Which client a session shows from now on. */
export interface ShowOrder {
  sessionId: string
  clientId: number
}

export async function setSessionClient(db: Db, { sessionId, clientId }: ShowOrder): Promise<void> {
  await db`update sessions set client_id = ${clientId} where id = ${sessionId}`
}

export async function setConfirmed(db: Db, id: string, now: Date): Promise<void> {
  await db`update sessions set confirmed_at = ${now} where id = ${id}`
}

export async function setMessage(db: Db, id: string, message: string): Promise<void> {
  await db`update sessions set message = ${message} where id = ${id}`
}

/** Deletes this message, but none that has taken its place. */
export async function deleteMessage(db: Db, id: string, message: string): Promise<void> {
  await db`update sessions set message = null where id = ${id} and message = ${message}`
}

export async function deleteSessionOf(db: Db, hash: Buffer): Promise<void> {
  await db`delete from sessions where hash = ${hash}`
}

export interface EndOrder {
  personId: string
  id: string
}

/** Ends one of a person's sessions. */
export async function deleteOwnSession(db: Db, { personId, id }: EndOrder): Promise<void> {
  await db`delete from sessions where person_id = ${personId} and id = ${id}`
}

export interface EndOthersOrder {
  personId: string
  except: string | null
}

/** Ends the sessions of a person, except one if it is given. */
export async function deleteSessionsOf(
  run: Db | Tx,
  { personId, except }: EndOthersOrder,
): Promise<void> {
  await run`
    delete from sessions
    where person_id = ${personId} and (${except}::uuid is null or id <> ${except})`
}

export interface ShownBySession {
  clientId: number | null
  /** In the client. */
  role: Role | null
  operatorRole: OperatorRole | null
}

/** What sessions show now; those that have ended are left out. */
export function readShown(
  db: Db,
  hashes: Buffer[],
): Promise<(ShownBySession & { hash: Buffer })[]> {
  return db`
    select s.hash, s.client_id as "clientId", m.role, p.operator_role as "operatorRole"
    from sessions s
      join people p on p.id = s.person_id
      left join memberships m on m.person_id = s.person_id and m.client_id = s.client_id
    where s.hash = any(${hashes}::bytea[])`
}

/** Deletes sessions that were not used since a time, or began before another. */
export async function deleteOldSessions(
  db: Db,
  limits: { seenBefore: Date; createdBefore: Date },
): Promise<void> {
  await db`
    delete from sessions
    where last_seen_at < ${limits.seenBefore} or created_at < ${limits.createdBefore}`
}

export interface OpenSession {
  id: string
  createdAt: Date
  lastSeenAt: Date
  address: string
  agent: string
}

/** The sessions of a person, the one used last first. */
export function readSessionsOf(db: Db, personId: string): Promise<OpenSession[]> {
  return db<OpenSession>`
    select id, created_at as "createdAt", last_seen_at as "lastSeenAt", address, agent
    from sessions where person_id = ${personId} order by last_seen_at desc`
}

/**
 * Claims a form's token; what is known of it otherwise. One that was claimed before `deadBefore`
 * and has led nowhere may be claimed again: the process that had it died.
 */
export async function claimForm(
  db: Db,
  form: { sessionId: string; token: string; now: Date; deadBefore: Date },
): Promise<{ isNew: boolean; location: string | null }> {
  const inserted = await db`
    insert into form_submissions as f (session_id, token, created_at)
    values (${form.sessionId}, ${form.token}, ${form.now})
    on conflict (session_id, token) do update set created_at = excluded.created_at
    where f.location is null and f.created_at < ${form.deadBefore}
    returning token`
  if (inserted.length === 1) return { isNew: true, location: null }
  const [row] = await db<{ location: string | null }>`
    select location from form_submissions
    where session_id = ${form.sessionId} and token = ${form.token}`
  return { isNew: false, location: row?.location ?? null }
}

export async function finishForm(
  db: Db,
  form: { sessionId: string; token: string; location: string },
): Promise<void> {
  await db`
    update form_submissions set location = ${form.location}
    where session_id = ${form.sessionId} and token = ${form.token}`
}

/** A form that was refused may be sent again. */
export async function releaseForm(
  db: Db,
  form: { sessionId: string; token: string },
): Promise<void> {
  await db`
    delete from form_submissions
    where session_id = ${form.sessionId} and token = ${form.token}`
}
