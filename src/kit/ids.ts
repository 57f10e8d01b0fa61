import { randomBytes, randomUUID } from 'node:crypto'

/** A UUID version 7: unique, and roughly in the order of `now`, so indexes grow at one end. */
export function newId(now: Date): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

/** An unguessable text of `bytes` random bytes, safe in URLs and headers. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** A UUID version 4: nothing in it but chance, as providers ask for. */
export function newRandomId(): string {
  return randomUUID()
}
