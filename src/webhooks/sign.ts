import type { Hmac } from '../kit/hmac.ts'
import { openHmac } from '../kit/hmac.ts'

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
      .map((secret) => `v1,${signersOf(secret).byBytes(signed, 'base64')}`)
      .join(' '),
    'x-webhook-signature': signersOf(newest).byText(message.body, 'hex'),
  }
}

/** With a secret's own bytes as the key, and with its text. */
interface Signers {
  byBytes: Hmac
  byText: Hmac
}

// Prepared once for each secret.
const known = new Map<string, Signers>()
const knownMax = 10_000

function signersOf(secret: string): Signers {
  const found = known.get(secret)
  if (found !== undefined) return found
  if (known.size >= knownMax) known.clear()
  const byBytes = openHmac(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  const made = { byBytes, byText: openHmac(Buffer.from(secret)) }
  known.set(secret, made)
  return made
}
