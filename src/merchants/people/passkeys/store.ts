import { columns, type Db, type Tx } from '#data/db/db.ts'

export interface Passkey {
  /** The credential's id, in base64url. */
  id: string
  personId: string
  name: string
  publicKey: Buffer
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

const passkeyColumns = columns([
  'id',
  'person_id',
  'name',
  'public_key',
  'counter',
  'transports',
  'created_at',
  'last_used_at',
])

/** False: a passkey with this id is known already. */
export async function insertPasskey(tx: Tx, one: Passkey): Promise<boolean> {
  const rows = await tx`
    insert into passkeys (id, person_id, name, public_key, counter, transports, created_at)
    values (${one.id}, ${one.personId}, ${one.name}, ${one.publicKey}, ${one.counter},
      ${one.transports}, ${one.createdAt})
    on conflict (id) do nothing
    returning id`
  return rows.length === 1
}

export function readPasskeys(run: Db | Tx, personId: string): Promise<Passkey[]> {
  return run<Passkey>`
    select ${passkeyColumns} from passkeys where person_id = ${personId} order by created_at, id`
}

export async function findPasskey(db: Db, id: string): Promise<Passkey | undefined> {
  const [found] = await db<Passkey>`select ${passkeyColumns} from passkeys where id = ${id}`
  return found
}

/**
 * Notes that a passkey was used. False: it is gone, or its counter was raised by another use, which
 * a copy of it would do.
 */
export async function usePasskey(
  db: Db,
  use: { id: string; before: number; counter: number; now: Date },
): Promise<boolean> {
  const rows = await db`
    update passkeys set counter = ${use.counter}, last_used_at = ${use.now}
    where id = ${use.id} and counter = ${use.before}
    returning id`
  return rows.length === 1
}

/** The name of a person's passkey that was deleted; undefined: there is none. */
export async function deletePasskey(
  tx: Tx,
  { personId, id }: Pick<Passkey, 'personId' | 'id'>,
): Promise<string | undefined> {
  const [gone] = await tx<{ name: string }>`
    delete from passkeys where person_id = ${personId} and id = ${id} returning name`
  return gone?.name
}

/** What a challenge is for: a new passkey of a person, or the sign-in of one or of anybody. */
export interface Challenge {
  hash: Buffer
  isNew: boolean
  /** Null: of whoever has a passkey. */
  personId: string | null
  expiresAt: Date
}

export async function insertChallenge(db: Db, one: Challenge): Promise<void> {
  await db`
    insert into passkey_challenges (hash, is_new, person_id, expires_at)
    values (${one.hash}, ${one.isNew}, ${one.personId}, ${one.expiresAt})`
}

/** Uses a challenge up; false: it was used before, has expired, or is for something else. */
export async function takeChallenge(
  db: Db,
  one: Omit<Challenge, 'expiresAt'>,
  now: Date,
): Promise<boolean> {
  const rows = await db`
    delete from passkey_challenges
    where hash = ${one.hash} and is_new = ${one.isNew} and expires_at > ${now}
      and person_id is not distinct from ${one.personId}::uuid
    returning hash`
  return rows.length === 1
}

export async function deleteOldChallenges(db: Db, now: Date): Promise<void> {
  await db`delete from passkey_challenges where expires_at < ${now}`
}
