import { createHmac, randomBytes } from 'node:crypto'

/*
 * One-time codes of authenticator apps: TOTP (RFC 6238) over HOTP (RFC 4226) with what every app
 * supports: SHA-1, six digits, thirty seconds.
 */
const digits = 6
const stepSeconds = 30
// Clocks of phones are a little off, and a person needs a moment to type.
const stepsOff = [0, -1, 1]
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code of a time step. */
export function totpAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / stepSeconds)
}

/** The time step that a code belongs to, now or just before or after; undefined: it is wrong. */
export function stepOfCode(secret: Buffer, code: string, now: Date): number | undefined {
  return stepsOff.map((off) => stepAt(now) + off).find((step) => totpAt(secret, step) === code)
}

export function newTotpSecret(): Buffer {
  return randomBytes(20)
}

/** A secret as apps take it when it is typed (RFC 4648, base32). */
export function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** The address that apps read from the QR code. */
export function totpUri(secret: Buffer, email: string): string {
  const issuer = 'Passerelle'
  const label = `${issuer}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${issuer}`
}
