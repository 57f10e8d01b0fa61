import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { CallbackClaim, DeclineCause, RawCallback } from './contract.ts'
import type { HttpResponse } from './http-client.ts'
import { unknown } from './outcomes.ts'

/**
 * Reads an unsigned callback as a hint: whatever it claims, its outcome is `unknown`, and only a
 * query decides. `readStatus` finds the status or error code in the body; undefined: the body is
 * not a callback.
 */
export function readHint(
  { body }: RawCallback,
  readStatus: (body: string) => string | undefined,
  readReference: (body: string) => string | undefined = () => undefined,
  readCause: (body: string) => DeclineCause | undefined = () => undefined,
): CallbackClaim | undefined {
  const answer = asAnswer(body)
  const status = readStatus(answer.body)
  if (status === undefined) return undefined
  const claimedReference = readReference(answer.body)
  const claimedCause = readCause(answer.body)
  return {
    trust: 'hint',
    dedupeKey: sha256Of(body),
    attempt: null,
    outcome: unknown(unknownAttempt, answer, `a callback says ${status.slice(0, 60)}`),
    claimedResult: claimedResults.get(status.toLowerCase()) ?? 'failure',
    ...(claimedReference === undefined ? {} : { claimedReference }),
    ...(claimedCause === undefined ? {} : { claimedCause }),
  }
}

// Any other status is an error code, which claims a failure.
const claimedResults = new Map<string, 'success' | 'nothing'>([
  ['completed', 'success'],
  ['successful', 'success'],
  ['success', 'success'],
  ['pending', 'nothing'],
  ['in progress', 'nothing'],
  ['initiated', 'nothing'],
  ['created', 'nothing'],
])

/** Stands for the attempt of a callback, which is not looked up yet when the callback is read. */
export const unknownAttempt = { reference: null, phone: '', callbackUrl: '' }

/** The body of a callback as an HTTP answer, so that the same functions read both. */
export function asAnswer(body: Buffer): HttpResponse {
  return { kind: 'answered', status: 200, headers: {}, body: body.toString('utf8') }
}

function sha256Of(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}

const toleranceMs = 300_000

/**
 * Whether the header `t=<unix>,v1=<hex>[,v1=…]` signs the body with our secret and a time within
 * five minutes of now. While a provider changes its secret it sends several signatures: one of them
 * must be right.
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
