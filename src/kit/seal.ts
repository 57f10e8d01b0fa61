import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Problem } from './problem.ts'

const cipher = 'aes-256-gcm'

/**
 * Derives a key for one purpose (HKDF), so that data sealed for one purpose cannot be opened for
 * another.
 */
export function keyFor(secretKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
}

/**
 * Encrypts and authenticates a text for storage (AES-256-GCM). `context`, for example its owner, is
 * authenticated too: opening needs the same one.
 */
export function seal(key: Buffer, text: string, context: string): Buffer {
  const nonce = randomBytes(12)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()])
}

/** Decrypts a sealed text; throws if the key, the context or a single bit differs. */
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

/** Seals a text for a text column, marked so that `openText` recognises it. */
export function sealText(key: Buffer, text: string, context: string): string {
  return mark + seal(key, text, context).toString('base64')
}

/** Opens a text sealed by `sealText`; returns one without the mark as it is. */
export function openText(key: Buffer, text: string, context: string): string {
  if (!text.startsWith(mark)) return text
  return unseal(key, Buffer.from(text.slice(mark.length), 'base64'), context)
}
