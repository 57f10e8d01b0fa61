import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import { randomText } from '../kit/ids.ts'
import { openSigner } from '../sealing/hmac.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { keysFor } from '../sealing/seal.ts'
import { claimForm, finishForm, releaseForm } from './session-store.ts'

/** Longer than any action takes: a form that is not answered by then never will be. */
export const actionMaxMs = 120_000

/** Tokens of the forms of a session: proof that we wrote a form, and the number of that form. */
export function openForms(parts: { db: Db; clock: Clock; secretKey: SecretKey }) {
  const { db, clock } = parts
  const { sign, isSigned } = openSigner(keysFor(parts.secretKey, 'form tokens'))
  return {
    formToken: (sessionId: string) => {
      const random = randomText(12)
      return `${random}.${sign(`${sessionId} ${random}`)}`
    },
    isFormToken: (sessionId: string, token: string) => {
      const [random = '', signature = ''] = token.split('.')
      return isSigned(`${sessionId} ${random}`, signature)
    },
    /**
     * Whether a form is sent for the first time, or again after the process that had it died; else
     * where it has led, if that is known. What moves money derives its id from the form's number,
     * so that it is done once all the same.
     */
    claimForm: (sessionId: string, token: string) =>
      claimForm(db, {
        sessionId,
        token,
        now: clock.now(),
        deadBefore: after(clock.now(), -actionMaxMs),
      }),
    finishForm: (sessionId: string, token: string, location: string) =>
      finishForm(db, { sessionId, token, location }),
    /** A form that was refused may be sent again. */
    releaseForm: (sessionId: string, token: string) => releaseForm(db, { sessionId, token }),
  }
}
