import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Problem } from '#base/kit/problem.ts'

const cipher = 'aes-256-gcm'

/** The keys of an installation during a rotation: one seals, and each of them opens. */
export interface KeyRing {
  sealing: Buffer
  others: Buffer[]
  /** Keys of hashes that outlive a rotation, by purpose; left out: those of the sealing key. */
  kept?: ReadonlyMap<string, Buffer>
}

/** SECRET_KEY, alone or with the others of a rotation. */
export type SecretKey = Buffer | KeyRing

/** The keys of one purpose: the first seals and signs, and each of them opens. */
export type PurposeKeys = [Buffer, ...Buffer[]]

/**
 * Derives a key for one purpose (HKDF), so that data sealed for one purpose cannot be opened for
 * another.
 */
export function keyFor(secretKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
}

/** The keys of an installation for one purpose. */
export function keysFor(secretKey: SecretKey, purpose: string): PurposeKeys {
  const { sealing, others } = ringOf(secretKey)
  return [keyFor(sealing, purpose), ...others.map((other) => keyFor(other, purpose))]
}

/**
 * The key of stored hashes, which stay comparable when SECRET_KEY is changed: what was hashed is
 * not known any more, and cannot be hashed anew.
 */
export function lastingKeyFor(secretKey: SecretKey, purpose: string): Buffer {
  const { sealing, kept } = ringOf(secretKey)
  return kept?.get(purpose) ?? keyFor(sealing, purpose)
}

/** A single key as a ring. */
export function ringOf(secretKey: SecretKey): KeyRing {
  return Buffer.isBuffer(secretKey) ? { sealing: secretKey, others: [] } : secretKey
}

/**
 * Encrypts and authenticates a text for storage (AES-256-GCM). `context`, for example its owner, is
 * authenticated too: opening needs the same one.
 */
export function seal([key]: PurposeKeys, text: string, context: string): Buffer {
  const nonce = randomBytes(12)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()])
}

/** Decrypts a sealed text; throws if no key fits, or the context or a single bit differs. */
export function unseal(keys: PurposeKeys, sealed: Buffer, context: string): string {
  const opened = unsealByAny(keys, sealed, context)
  if (opened !== undefined) return opened.text
  throw new Problem(
    'What was sealed cannot be opened: SECRET_KEY is not the one it was sealed with.',
  )
}

/** The text, and which of the keys has opened it; undefined: none does. */
export function unsealByAny(
  keys: PurposeKeys,
  sealed: Buffer,
  context: string,
): { text: string; keyNumber: number } | undefined {
  for (const [keyNumber, key] of keys.entries())
    try {
      // A shorter tag, as of a text that was cut, would be easier to forge.
      const opening = createDecipheriv(cipher, key, sealed.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-16))
      const text = Buffer.concat([opening.update(sealed.subarray(12, -16)), opening.final()])
      return { text: text.toString('utf8'), keyNumber }
    } catch {
      // Sealed with another key, or changed.
    }
  return undefined
}

const mark = 'sealed:'

/** Seals a text for a text column, marked so that `openText` recognises it. */
export function sealText(keys: PurposeKeys, text: string, context: string): string {
  return writeSealed(seal(keys, text, context))
}

/** Opens a text sealed by `sealText`; returns one without the mark as it is. */
export function openText(keys: PurposeKeys, text: string, context: string): string {
  const sealed = readSealed(text)
  return sealed === undefined ? text : unseal(keys, sealed, context)
}

/** The sealed bytes of a text column; undefined: it is not sealed. */
export function readSealed(text: string): Buffer | undefined {
  return text.startsWith(mark) ? Buffer.from(text.slice(mark.length), 'base64') : undefined
}

/** Sealed bytes as they stand in a text column. */
export function writeSealed(sealed: Buffer): string {
  return mark + sealed.toString('base64')
}
