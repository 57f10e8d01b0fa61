import { RecentMap } from '#base/kit/recent-map.ts'
import { type Hmac, openHmac } from '#base/sealing/hmac.ts'

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
  const unsigned = { 'webhook-id': message.id, 'webhook-timestamp': timestamp }
  const [newest] = secrets
  // No signature without a secret: anyone could forge one that is made with an empty key.
  if (newest === undefined) return unsigned
  return {
    ...unsigned,
    'webhook-signature': secrets
      .map((secret) => `v1,${signersOf(secret).byBytes(signed, 'base64')}`)
      .join(' '),
    'x-webhook-signature': signersOf(newest).byText(message.body, 'hex'),
  }
}

/** HMACs keyed with the bytes that a secret encodes, and with its text. */
interface Signers {
  byBytes: Hmac
  byText: Hmac
}

// Keeps the key objects of each secret: src/base/sealing/hmac.ts says what that gains.
const cachedSigners = new RecentMap<string, Signers>(10_000)

function signersOf(secret: string): Signers {
  const cached = cachedSigners.get(secret)
  if (cached !== undefined) return cached
  const byBytes = openHmac(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  const signers = { byBytes, byText: openHmac(Buffer.from(secret)) }
  cachedSigners.set(secret, signers)
  return signers
}
