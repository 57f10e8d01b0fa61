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
      .map((secret) => `v1,${hmac(keyOf(secret), signed, 'base64')}`)
      .join(' '),
    'x-webhook-signature': hmac(newest, message.body, 'hex'),
  }
}

// Prepared once for each secret: that takes longer than the signature itself.
const keys = new Map<string, KeyObject>()
const keysMax = 10_000

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known !== undefined) return known
  if (keys.size >= keysMax) keys.clear()
  const key = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  keys.set(secret, key)
  return key
}

function hmac(key: KeyObject | string, text: string, encoding: 'base64' | 'hex'): string {
  return createHmac('sha256', key).update(text).digest(encoding)
}
