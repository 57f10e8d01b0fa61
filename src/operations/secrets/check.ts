import { after } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { type KeyRing, keysFor, unsealByAny } from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { sealedWebhookSecrets } from '#merchants/clients/sealed-store.ts'
import { fingerprintOf, fingerprintsOf, seenForMs } from './fingerprints.ts'
import { type KeyUse, readKeyUses } from './store.ts'

const where = '(docs/runbooks/rotation.md)'

/**
 * Throws a sentence if the keys of a process that starts do not fit: one that values are sealed
 * with is lacking, or a process that runs could not open what this one would seal. Else returns the
 * key that hashes were made with until now.
 */
export async function refuseWrongKeys(db: Db, ring: KeyRing, now: Date): Promise<Buffer> {
  const uses = await readKeyUses(db)
  refuseLacking(ring, uses)
  refuseUnknownToOthers(ring, uses, now)
  // On the first start of a version that notes keys, the stored values themselves tell.
  return uses.length === 0 ? await keyOfStored(db, ring) : ring.sealing
}

function refuseLacking(ring: KeyRing, uses: KeyUse[]): void {
  const own = fingerprintsOf(ring)
  const lacking = new Set(uses.map(({ seals }) => seals).filter((one) => !own.includes(one)))
  if (lacking.size === 0) return
  throw new Problem(
    `The database holds what was sealed with the key ${[...lacking].join(', ')}, and SECRET_KEY ` +
      `is ${own[0]}: give that key, in SECRET_KEY_OTHERS during a rotation ${where}.`,
  )
}

function refuseUnknownToOthers(ring: KeyRing, uses: KeyUse[], now: Date): void {
  const own = fingerprintOf(ring.sealing)
  const running = uses.find(
    ({ opens, seenAt }) => !opens.includes(own) && after(seenAt, seenForMs) > now,
  )
  if (running === undefined) return
  const leftS = Math.ceil((after(running.seenAt, seenForMs).getTime() - now.getTime()) / 1000)
  throw new Problem(
    `A process that runs cannot open what SECRET_KEY ${own} would seal: give every process that ` +
      `key in SECRET_KEY_OTHERS first ${where}. If none runs any more, start again in ${leftS} s.`,
  )
}

/** The key of the ring that opens what is stored: what hashes were made with until now. */
async function keyOfStored(db: Db, ring: KeyRing): Promise<Buffer> {
  const { read, start, purpose } = sealedWebhookSecrets
  const [sample] = await read(db, start, 1)
  if (sample === undefined || !Buffer.isBuffer(sample.sealed)) return ring.sealing
  const opened = unsealByAny(keysFor(ring, purpose), sample.sealed, sample.context)
  if (opened !== undefined) return [ring.sealing, ...ring.others][opened.keyNumber] ?? ring.sealing
  throw new Problem(
    `The database holds what was sealed with another key than SECRET_KEY ` +
      `${fingerprintOf(ring.sealing)}: give that key, in SECRET_KEY_OTHERS during a rotation ` +
      `${where}.`,
  )
}
