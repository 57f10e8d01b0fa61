import { cached } from '#base/kit/cached.ts'
import { batched } from '#data/db/batch.ts'
import type { DbParts } from '#data/db/db.ts'
import { type Caller, findCallers } from './key-store.ts'
import { hashSecret } from './keys.ts'

export type { Caller } from './key-store.ts'

/**
 * Finds the caller of a secret, or undefined. A result is cached for half a second, so that a
 * revoked key is refused by every process within a second. Concurrent lookups share one statement.
 */
export function authenticator({
  db,
  clock,
}: DbParts): (secret: string) => Promise<Caller | undefined> {
  const find = batched(async (hashes: string[]) => {
    const buffers = hashes.map((hash) => Buffer.from(hash, 'hex'))
    const found = await findCallers(db, buffers, clock.now())
    const byHash = new Map(found.map((caller) => [caller.secretHash, caller]))
    return hashes.map((hash) => byHash.get(hash))
  })
  const findCached = cached(500, find)
  return (secret) => findCached(hashSecret(secret))
}
