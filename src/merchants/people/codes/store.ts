import { columns, type Db, type Tx } from '#data/db/db.ts'
import type { AnyRole, OperatorRole, Role } from '../rights.ts'

/** What a code is good for. */
export interface AccessCode {
  hash: Buffer
  id: string
  kind: 'invitation' | 'password'
  email: string
  personId: string | null
  clientId: number | null
  role: AnyRole | null
  invitedBy: string | null
  createdAt: Date
  expiresAt: Date
}

/** What a person is invited to: a client, or to operate the gateway. */
export type InvitedTo = { clientId: number; role: Role } | { clientId: null; role: OperatorRole }

/** A code that adds a person to a client or to the operators. */
export type Invitation = AccessCode & InvitedTo & { invitedBy: string }

const codeColumns = columns([
  'hash',
  'id',
  'kind',
  'email',
  'person_id',
  'client_id',
  'role',
  'invited_by',
  'created_at',
  'expires_at',
])

export async function insertCode(tx: Tx, code: AccessCode): Promise<void> {
  await tx`
    insert into access_codes (hash, id, kind, email, person_id, client_id, role, invited_by,
      created_at, expires_at)
    values (${code.hash}, ${code.id}, ${code.kind}, ${code.email}, ${code.personId},
      ${code.clientId}, ${code.role}, ${code.invitedBy}, ${code.createdAt}, ${code.expiresAt})`
}

export async function findCode(
  run: Db | Tx,
  hash: Buffer,
  now: Date,
): Promise<AccessCode | undefined> {
  const [found] = await run<AccessCode>`
    select ${codeColumns} from access_codes where hash = ${hash} and expires_at > ${now}`
  return found
}

/** Whose code this is, and whether it makes an operator or is one's. */
export async function findCodeById(
  tx: Tx,
  id: string,
  now: Date,
): Promise<{ email: string; isOfOperator: boolean } | undefined> {
  const [found] = await tx<{ email: string; isOfOperator: boolean }>`
    select c.email, exists (
      select from people p
      where (p.id = c.person_id or lower(p.email) = lower(c.email))
        and p.operator_role is not null
    ) or c.kind = 'invitation' and c.client_id is null as "isOfOperator"
    from access_codes c where c.id = ${id} and c.expires_at > ${now}`
  return found
}

/** Uses a code up; undefined: it was used before, withdrawn, or has expired. */
export async function takeCode(tx: Tx, hash: Buffer, now: Date): Promise<AccessCode | undefined> {
  const [taken] = await tx<AccessCode>`
    delete from access_codes where hash = ${hash} and expires_at > ${now}
    returning ${codeColumns}`
  return taken
}

/** The invitations to a client, or to the operators, that wait for an answer, newest first. */
export function readInvitations(db: Db, clientId: number | null, now: Date): Promise<Invitation[]> {
  return db<Invitation>`
    select ${codeColumns} from access_codes
    where client_id is not distinct from ${clientId} and kind = 'invitation'
      and expires_at > ${now}
    order by id desc`
}

/** Withdraws an invitation; undefined: there is none with this id. */
export async function deleteInvitation(
  tx: Tx,
  { clientId, id }: { clientId: number | null; id: string },
): Promise<Invitation | undefined> {
  const [deleted] = await tx<Invitation>`
    delete from access_codes
    where client_id is not distinct from ${clientId} and id = ${id} and kind = 'invitation'
    returning ${codeColumns}`
  return deleted
}

/** Withdraws what was sent to an address, or by one, for a client or for the operators. */
export async function deleteInvitations(
  tx: Tx,
  one: { clientId: number | null; email?: string; invitedBy?: string },
): Promise<void> {
  await tx`
    delete from access_codes
    where client_id is not distinct from ${one.clientId} and kind = 'invitation'
      and (lower(email) = lower(${one.email ?? null}::text)
        or lower(invited_by) = lower(${one.invitedBy ?? null}::text))`
}

/** Ends the codes with which a person could choose a password. */
export async function deletePasswordCodes(tx: Tx, personId: string): Promise<void> {
  await tx`delete from access_codes where person_id = ${personId}`
}

export async function deleteOldCodes(db: Db, now: Date): Promise<void> {
  await db`delete from access_codes where expires_at < ${now}`
}
