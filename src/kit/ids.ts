import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'

/** A UUID version 7: unique, and roughly in the order of `now`, so indexes grow at one end. */
export function newId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const chance = randomHex()
  const variant = '89ab'[Number.parseInt(chance[3] ?? '0', 16) & 3]
  const random = `7${chance.slice(0, 3)}-${variant}${chance.slice(4, 7)}-${chance.slice(7, 19)}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${random}`
}

// Chance is asked for in large pieces: each question takes longer than what is done with it.
const piece = 10
const pool = Buffer.alloc(400 * piece)
let poolUsed = pool.length

/** Twenty hexadecimal digits, never given out twice. */
function randomHex(): string {
  if (poolUsed === pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  poolUsed += piece
  return pool.toString('hex', poolUsed - piece, poolUsed)
}

/** An unguessable text of `bytes` random bytes, safe in URLs and headers. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** A UUID version 4: nothing in it but chance, as providers ask for. */
export function newRandomId(): string {
  return randomUUID()
}
