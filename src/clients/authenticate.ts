import { BlockList, isIP } from 'node:net'
import { batched } from '../db/batch.ts'
import type { Db } from '../db/db.ts'
import { cached } from '../kit/cached.ts'
import type { Clock } from '../kit/clock.ts'
import type { Caller } from './key-store.ts'
import { findCallers } from './key-store.ts'
import { hashSecret } from './keys.ts'

export type { Caller } from './key-store.ts'

/**
 * Finds who calls with a secret, or undefined. An answer is reused for half a second, so a revoked
 * key stops everywhere within one; questions that come together share one statement.
 */
export function authenticator(
  db: Db,
  clock: Clock,
): (secret: string) => Promise<Caller | undefined> {
  const find = batched(async (hashes: string[]) => {
    const buffers = hashes.map((hash) => Buffer.from(hash, 'hex'))
    const found = await findCallers(db, buffers, clock.now())
    const byHash = new Map(found.map(({ hash, ...caller }) => [hash.toString('hex'), caller]))
    return hashes.map((hash) => byHash.get(hash))
  })
  const recall = cached(500, find)
  return (secret) => recall(hashSecret(secret))
}

/** Whether a key may be used from this address. */
export function isAddressAllowed(allowed: string[], address: string): boolean {
  if (allowed.length === 0) return true
  const list = new BlockList()
  for (const network of allowed) {
    const [base = '', bits = ''] = network.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 6 ? 'ipv6' : 'ipv4')
  }
  // A dual-stack socket shows IPv4 callers as ::ffff:a.b.c.d.
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}
