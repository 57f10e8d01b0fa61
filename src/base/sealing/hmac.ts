import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { PurposeKeys } from './seal.ts'

/** Signs a text and returns the signature in an encoding. */
export type Hmac = (text: string, encoding: 'hex' | 'base64' | 'base64url') => string

/**
 * HMAC-SHA-256 under one key. The key object is made once: with a key given as bytes, each
 * signature takes seven times as long.
 */
export function openHmac(key: Buffer): Hmac {
  const keyObject = createSecretKey(key)
  return (text, encoding) => createHmac('sha256', keyObject).update(text).digest(encoding)
}

/** Signatures of texts that come back to us: the first key signs, and each of them is believed. */
export function openSigner(keys: PurposeKeys) {
  const [first, ...others] = keys
  const hmac = openHmac(first)
  const signatures = [hmac, ...others.map(openHmac)]
  return {
    sign: (text: string) => hmac(text, 'base64url'),
    isSigned: (text: string, signature: string) =>
      signatures.some((one) => isSame(one(text, 'base64url'), signature)),
  }
}

/** Compares in a time that does not depend on where two texts differ. */
export function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
