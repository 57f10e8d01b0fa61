import { randomBytes, randomFillSync } from 'node:crypto'

/** A UUID of version 7: it begins with the time, so that new rows go to the end of an index. */
export function newId(now: Date): string {
  return idOf(now, '7')
}

/**
 * The same with the mark of version 4, for other systems that accept no other UUIDs: 48 bits of
 * time, 74 random bits (docs/decisions/0024).
 */
export function newIdVersion4(now: Date): string {
  return idOf(now, '4')
}

function idOf(now: Date, version: '4' | '7'): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const random = randomHex()
  const variant = '89ab'[Number.parseInt(random[3] ?? '0', 16) & 3]
  const tail = `${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${tail}`
}

/** The smallest id that begins with this time; every id of an earlier time is smaller. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** When an id was made, in milliseconds since 1970. */
export function timeOfIdMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** Greater than the id of any record. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

// Random bytes are drawn 4,000 at a time: a call for 10 costs more than building an id from them.
const idBytes = 10
const pool = Buffer.alloc(400 * idBytes)
let poolUsed = pool.length

/** Twenty random hexadecimal digits; no byte of the pool is used twice. */
function randomHex(): string {
  if (poolUsed === pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  poolUsed += idBytes
  return pool.toString('hex', poolUsed - idBytes, poolUsed)
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
