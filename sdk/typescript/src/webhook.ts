import { WebhookError } from './errors.ts'
import type { WebhookEvent } from './interface.ts'

export interface VerifyOptions {
  /** How many seconds the time of a webhook may be away from now; 300 if left out. */
  toleranceS?: number
  /** Now, in seconds since 1970; the system's if left out. */
  nowS?: number
}

type HeaderFields = Headers | Record<string, string | string[] | undefined>

/**
 * The event of a webhook that is genuine and fresh; throws a WebhookError for any other. `body` is
 * the body as it arrived, before any parsing. During a rotation give both secrets.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeaderFields,
  secrets: string | readonly string[],
  { toleranceS = 300, nowS = Date.now() / 1000 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = [secrets].flat().map(bytesOfSecret)
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret')
  const [id, time, signatures] = (['id', 'timestamp', 'signature'] as const).map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string]
  if (!/^\d{1,12}$/.test(time))
    throw new WebhookError('malformed', 'webhook-timestamp is no number of seconds')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`)
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookError('wrong_signature', 'No signature is right: body, id, time or secret')
  const ageS = nowS - Number(time)
  if (ageS > toleranceS) throw new WebhookError('too_old', `Sent ${Math.round(ageS)} s ago`)
  if (-ageS > toleranceS) throw new WebhookError('too_new', `${Math.round(-ageS)} s from now`)
  return readEvent(text)
}

function headerOf(headers: HeaderFields, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = [value ?? ''].flat().join(' ')
  if (text === '') throw new WebhookError('missing_header', `${name} is missing`)
  return text
}

/** Whether any signature is right for any secret; compared in constant time by the platform. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => bytesOf(one.slice(3)))
  const checks = keys.map(async (bytes) => {
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify'])
    return Promise.all(given.map((one) => crypto.subtle.verify('HMAC', key, one, signed)))
  })
  return (await Promise.all(checks)).flat().includes(true)
}

function bytesOfSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (bytes.length === 0) throw new TypeError('A webhook secret is empty or not whsec_ and Base64')
  return bytes
}

/** The bytes of a Base64 text; none when it is not Base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

function readEvent(text: string): WebhookEvent {
  try {
    return JSON.parse(text) as WebhookEvent
  } catch {
    throw new WebhookError('malformed', 'The body is no JSON')
  }
}
