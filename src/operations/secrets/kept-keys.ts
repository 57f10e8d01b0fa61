import { pseudonymPurpose } from '#base/sealing/pseudonym.ts'
import { type KeyRing, keyFor, keysFor, seal, unseal } from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { recoveryPurpose } from '#merchants/people/factors/safe.ts'
import { insertKeptKey, keptPurpose, readKeptKeys } from './store.ts'

const lastingPurposes = [pseudonymPurpose, recoveryPurpose]

/** The ring with the keys of hashes that were kept when SECRET_KEY was another. */
export async function withKeptKeys(db: Db, ring: KeyRing): Promise<KeyRing> {
  const keys = keysFor(ring, keptPurpose)
  const rows = await readKeptKeys(db)
  const kept = rows.map(({ purpose, sealed }): [string, Buffer] => [
    purpose,
    Buffer.from(unseal(keys, sealed, purpose), 'base64'),
  ])
  return { ...ring, kept: new Map(kept) }
}

/** Keeps the keys of hashes that are derived from `base`, where none are kept yet. */
export async function keepKeys(db: Db, ring: KeyRing, base: Buffer): Promise<void> {
  const keys = keysFor(ring, keptPurpose)
  for (const purpose of lastingPurposes)
    await insertKeptKey(db, purpose, seal(keys, keyFor(base, purpose).toString('base64'), purpose))
}
