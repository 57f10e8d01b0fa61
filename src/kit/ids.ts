import { randomBytes, randomFillSync } from 'node:crypto'

/** A UUID version 7: unique, and roughly in the order of `now`, so indexes grow at one end. */
export function newId(now: Date): string {
  return idOf(now, '7')
}

/**
 * An id that providers are given. Some take only UUIDs that say they are of version 4; its first
 * digits are the moment all the same, so that our indexes grow at one end. 74 bits are chance.
 */
export function newAttemptId(now: Date): string {
  return idOf(now, '4')
}

function idOf(now: Date, version: '4' | '7'): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const chance = randomHex()
  const variant = '89ab'[Number.parseInt(chance[3] ?? '0', 16) & 3]
  const random = `${chance.slice(0, 3)}-${variant}${chance.slice(4, 7)}-${chance.slice(7, 19)}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${random}`
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const uuidInAnyCase = new RegExp(uuid, 'i')

/** Whether a text is a UUID as we and PostgreSQL write it: in lower case. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** Whether PostgreSQL would read a text as a UUID with hyphens, also one typed in capitals. */
export function isUuidInAnyCase(text: string): boolean {
  return uuidInAnyCase.test(text)
}
