import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { unknown } from './answers.ts'
import type { CallbackClaim, RawCallback } from './contract.ts'
import type { Answered } from './http.ts'

/**
 * A callback that nobody signed. Whatever it says, its outcome is `unknown`: it is worth asking
 * about, no more. `readWord` finds the word in it, or undefined when it is no callback at all.
 */
export function hintOf(
  { body }: RawCallback,
  readWord: (body: string) => string | undefined,
  readReference: (body: string) => string | undefined = () => undefined,
): CallbackClaim | undefined {
  const message = asAnswer(body)
  const word = readWord(message.body)
  if (word === undefined) return undefined
  const reason = `a callback says ${word.slice(0, 60)}`
  const outcome = unknown(nobody, message, reason)
  const says = meanings.get(word.toLowerCase()) ?? 'failure'
  const named = readReference(message.body)
  const claim = { trust: 'hint', dedupeKey: sha256Of(body), attempt: null, outcome, says } as const
  return named === undefined ? claim : { ...claim, named }
}

// A word that is neither is the name of an error.
const meanings = new Map<string, 'success' | 'nothing'>([
  ['completed', 'success'],
  ['successful', 'success'],
  ['success', 'success'],
  ['pending', 'nothing'],
  ['in progress', 'nothing'],
  ['initiated', 'nothing'],
  ['created', 'nothing'],
])

/** A callback does not know what we know of its attempt. */
export const nobody = { reference: null, phone: '', callbackUrl: '' }

/** A callback's body in the shape of an answer, so that one reader serves both. */
export function asAnswer(body: Buffer): Answered {
  return { kind: 'answered', status: 200, headers: {}, body: body.toString('utf8') }
}

/** The same for every copy of the same bytes. */
export function sha256Of(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}

const toleranceMs = 300_000

/**
 * Whether the header `t=<unix>,v1=<hex>[,v1=…]` signs these bytes with our secret, within five
 * minutes of now. Several signatures come while the provider changes its secret: one must be right.
 */
export function isSigned(callback: RawCallback, header: string, secret: string): boolean {
  const value = callback.headers[header]
  if (typeof value !== 'string' || secret === '') return false
  const fields = value.split(',').map((field) => field.trim().split('='))
  const time = fields.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time)) return false
  if (Math.abs(callback.now.getTime() - Number(time) * 1000) > toleranceMs) return false
  const expected = createHmac('sha256', secret).update(time).update(callback.body).digest()
  return fields.some(([name, given = '']) => {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/i.test(given)) return false
    return timingSafeEqual(Buffer.from(given, 'hex'), expected)
  })
}
