import type { KeyObject } from 'node:crypto'
import { createHmac, createSecretKey } from 'node:crypto'

interface Message {
  /** The same on every try. */
  id: string
  sentAt: Date
  body: string
}

/**
 * The headers that prove a webhook is ours: Standard Webhooks with every secret that is valid now,
 * and beside it a plain hex HMAC of the body for simple receivers, keyed with the secret's text as
 * it was shown.
 */
export function signatureHeaders(message: Message, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(message.sentAt.getTime() / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  const names = { 'webhook-id': message.id, 'webhook-timestamp': timestamp }
  const [newest] = secrets
  // Signed with an empty key it would look genuine to whoever forges one the same way.
  if (newest === undefined) return names
  return {
    ...names,
    'webhook-signature': secrets
      .map((secret) => `v1,${hmac(keysOf(secret).bytes, signed, 'base64')}`)
      .join(' '),
    'x-webhook-signature': hmac(keysOf(newest).text, message.body, 'hex'),
  }
}

/** A secret's own bytes, and its text as bytes: either is the key of one of the signatures. */
interface Keys {
  bytes: KeyObject
  text: KeyObject
}

// Prepared once for each secret: that takes longer than the signature itself.
const known = new Map<string, Keys>()
const knownMax = 10_000

function keysOf(secret: string): Keys {
  const found = known.get(secret)
  if (found !== undefined) return found
  if (known.size >= knownMax) known.clear()
  const bytes = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  const made = { bytes, text: createSecretKey(Buffer.from(secret)) }
  known.set(secret, made)
  return made
}

function hmac(key: KeyObject, text: string, encoding: 'base64' | 'hex'): string {
  return createHmac('sha256', key).update(text).digest(encoding)
}
