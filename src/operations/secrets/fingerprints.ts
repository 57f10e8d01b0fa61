import { type KeyRing, keyFor } from '#base/sealing/seal.ts'

/** How long after it was last seen a process counts as running: it is seen once a minute. */
export const seenForMs = 150_000

const fingerprintLength = 8

/** Names a key without telling anything of it. */
export function fingerprintOf(key: Buffer): string {
  return keyFor(key, 'fingerprint').toString('hex').slice(0, fingerprintLength)
}

/** The fingerprints of a ring, that of SECRET_KEY first. */
export function fingerprintsOf({ sealing, others }: KeyRing): string[] {
  return [sealing, ...others].map(fingerprintOf)
}
