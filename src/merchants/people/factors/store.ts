import type { Db, Tx } from '#data/db/db.ts'

export interface Factor {
  personId: string
  /** Sealed. */
  secret: string
  confirmedAt: Date | null
}

export async function findFactor(run: Db | Tx, personId: string): Promise<Factor | undefined> {
  const [found] = await run<Factor>`
    select person_id as "personId", secret, confirmed_at as "confirmedAt"
    from second_factors where person_id = ${personId}`
  return found
}

/** What a person has beside the password. */
export interface FactorState {
  /** An app or a passkey. */
  isOn: boolean
  hasApp: boolean
  passkeys: number
  recoveryCodes: number
}

export async function readFactorState(run: Db | Tx, personId: string): Promise<FactorState> {
  const [row] = await run<Omit<FactorState, 'isOn'>>`
    select
      exists (select from second_factors
        where person_id = ${personId} and confirmed_at is not null) as "hasApp",
      (select count(*) from passkeys where person_id = ${personId})::integer as passkeys,
      (select count(*) from recovery_codes where person_id = ${personId})::integer
        as "recoveryCodes"`
  const { hasApp = false, passkeys = 0, recoveryCodes = 0 } = row ?? {}
  return { isOn: hasApp || passkeys > 0, hasApp, passkeys, recoveryCodes }
}

/** Keeps the secret of an app whose first code was right; false: there is one already. */
export async function insertFactor(
  tx: Tx,
  { personId, secret, step, at }: { personId: string; secret: string; step: number; at: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into second_factors (person_id, secret, last_step, confirmed_at)
    values (${personId}, ${secret}, ${step}, ${at})
    on conflict (person_id) do update
      set secret = excluded.secret, last_step = excluded.last_step,
        confirmed_at = excluded.confirmed_at
      where second_factors.confirmed_at is null
    returning person_id`
  return rows.length === 1
}

/** Uses the code of a time step up; false: it, or a later one, was used before. */
export async function useStep(
  run: Db | Tx,
  { personId, secret, step }: { personId: string; secret: string; step: number },
): Promise<boolean> {
  const rows = await run`
    update second_factors set last_step = ${step}
    where person_id = ${personId} and secret = ${secret} and last_step < ${step}
    returning person_id`
  return rows.length === 1
}

export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  hashes: Buffer[],
): Promise<void> {
  await tx`delete from recovery_codes where person_id = ${personId}`
  await tx`
    insert into recovery_codes (person_id, hash)
    select ${personId}, hash from unnest(${hashes}::bytea[]) as h (hash)`
}

/** Uses a recovery code up; false: there is none. */
export async function takeRecoveryCode(
  db: Db,
  { personId, hash }: { personId: string; hash: Buffer },
): Promise<boolean> {
  const rows = await db`
    delete from recovery_codes where person_id = ${personId} and hash = ${hash} returning hash`
  return rows.length === 1
}

/** Ends the codes of an app; recovery codes serve on while there are passkeys. */
export async function deleteApp(tx: Tx, personId: string): Promise<void> {
  await tx`delete from second_factors where person_id = ${personId}`
  await deleteUnusedRecoveryCodes(tx, personId)
}

/** Deletes recovery codes that stand for nothing any more. */
export async function deleteUnusedRecoveryCodes(tx: Tx, personId: string): Promise<void> {
  await tx`
    delete from recovery_codes where person_id = ${personId}
      and not exists (select from passkeys where person_id = ${personId})
      and not exists (select from second_factors
        where person_id = ${personId} and confirmed_at is not null)`
}

/** Deletes all that a person has beside the password. */
export async function deleteFactors(tx: Tx, personId: string): Promise<void> {
  await tx`delete from passkeys where person_id = ${personId}`
  await deleteApp(tx, personId)
}
