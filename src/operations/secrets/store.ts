import type { Resealed, SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'

/** A combination of keys that processes have had, by their fingerprints. */
export interface KeyUse {
  seals: string
  opens: string[]
  seenAt: Date
}

export function readKeyUses(db: Db): Promise<KeyUse[]> {
  return db<KeyUse>`
    select seals, opens, seen_at as "seenAt" from secret_key_uses order by seen_at desc, seals`
}

export async function noteKeyUse(db: Db, { seals, opens, seenAt }: KeyUse): Promise<void> {
  await db`
    insert into secret_key_uses (seals, opens, seen_at)
    values (${seals}, ${opens}::text[], ${seenAt})
    on conflict (seals, opens) do update set seen_at = excluded.seen_at`
}

/** Forgets the combinations that seal with other keys and were not seen since a time. */
export async function deleteKeyUses(db: Db, seals: string, seenBefore: Date): Promise<void> {
  await db`
    delete from secret_key_uses where seals <> ${seals} and seen_at < ${seenBefore}`
}

export function readKeptKeys(db: Db): Promise<{ purpose: string; sealed: Buffer }[]> {
  return db`select purpose, sealed from kept_keys`
}

/** Keeps a key, unless another process has kept one before. */
export async function insertKeptKey(db: Db, purpose: string, sealed: Buffer): Promise<void> {
  await db`
    insert into kept_keys (purpose, sealed) values (${purpose}, ${sealed})
    on conflict (purpose) do nothing`
}

export const keptPurpose = 'kept keys'

/** The keys of hashes, which outlive SECRET_KEY. */
export const sealedKeptKeys: SealedColumn<Db> = {
  name: 'kept keys',
  purpose: keptPurpose,
  start: [''],
  read: async (db, [after], limit) => {
    const rows = await db<{ purpose: string; sealed: Buffer }>`
      select purpose, sealed from kept_keys where purpose > ${after} order by purpose
      limit ${limit}`
    return rows.map(({ purpose, sealed }) => ({ place: [purpose], sealed, context: purpose }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceKey(db, one)))
  },
}

async function replaceKey(db: Db, { place: [purpose], from, to }: Resealed): Promise<void> {
  await db`update kept_keys set sealed = ${to} where purpose = ${purpose} and sealed = ${from}`
}
