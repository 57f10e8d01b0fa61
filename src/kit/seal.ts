import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Problem } from './problem.ts'

const cipher = 'aes-256-gcm'

/**
 * A key of its own for each purpose, so that what was sealed for one cannot be opened as another.
 */
export function keyFor(secretKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
}

/**
 * Encrypts and authenticates a text for storage; `context` (whose it is) must be given to open it.
 */
export function seal(key: Buffer, text: string, context: string): Buffer {
  const nonce = randomBytes(12)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()])
}

/** The text that was sealed; throws when key, context or a single bit differ. */
export function unseal(key: Buffer, sealed: Buffer, context: string): string {
  try {
    const opening = createDecipheriv(cipher, key, sealed.subarray(0, 12))
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(-16))
    const text = Buffer.concat([opening.update(sealed.subarray(12, -16)), opening.final()])
    return text.toString('utf8')
  } catch (problem) {
    throw new Problem(
      'What was sealed cannot be opened: SECRET_KEY is not the one it was sealed with.',
      { cause: problem },
    )
  }
}

const mark = 'sealed:'

/** A text sealed for a column of texts. */
export function sealText(key: Buffer, text: string, context: string): string {
  return mark + seal(key, text, context).toString('base64')
}

/** The text again; one that was never sealed is what it is. */
export function openText(key: Buffer, text: string, context: string): string {
  if (!text.startsWith(mark)) return text
  return unseal(key, Buffer.from(text.slice(mark.length), 'base64'), context)
}
