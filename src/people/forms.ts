import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { randomText } from '../kit/ids.ts'
import { keyFor } from '../kit/seal.ts'
import { claimForm, finishForm, releaseForm } from './session-store.ts'

/** Tokens of the forms of a session: proof that we wrote a form, and the number of that form. */
export function openForms(parts: { db: Db; clock: Clock; secretKey: Buffer }) {
  const { db, clock } = parts
  const key = keyFor(parts.secretKey, 'form tokens')
  const signatureOf = (sessionId: string, random: string) =>
    createHmac('sha256', key).update(`${sessionId} ${random}`).digest('base64url')
  return {
    formToken: (sessionId: string) => {
      const random = randomText(12)
      return `${random}.${signatureOf(sessionId, random)}`
    },
    isFormToken: (sessionId: string, token: string) => {
      const [random = '', signature = ''] = token.split('.')
      const expected = Buffer.from(signatureOf(sessionId, random))
      const given = Buffer.from(signature)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    /** Whether a form is sent for the first time; else where it has led, if that is known. */
    claimForm: (sessionId: string, token: string) =>
      claimForm(db, { sessionId, token, now: clock.now() }),
    finishForm: (sessionId: string, token: string, location: string) =>
      finishForm(db, { sessionId, token, location }),
    /** A form that was refused may be sent again. */
    releaseForm: (sessionId: string, token: string) => releaseForm(db, { sessionId, token }),
  }
}
