import { after, type Clock } from '#base/kit/clock.ts'
import { randomText } from '#base/kit/ids.ts'
import { openSigner } from '#base/sealing/hmac.ts'
import { keysFor, type SecretKey } from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { claimForm, finishForm, releaseForm } from './session-store.ts'

/** Longer than any action takes: a form that is not answered by then never will be. */
export const actionMaxMs = 120_000

/** What a form shows of what it acts on, by name: as it was when it was written. */
export type SealedFacts = Record<string, string | number | boolean | null>

/** What a token says of its form. */
export interface FormSeal {
  /** The client that was shown when it was written; null: none. */
  clientId: number | null
  seen: SealedFacts
}

/**
 * Tokens of the forms of a session: proof that we wrote a form, its number, whose it is and what
 * the person saw.
 */
export function openForms(parts: { db: Db; clock: Clock; secretKey: SecretKey }) {
  const { db, clock } = parts
  const { sign, isSigned } = openSigner(keysFor(parts.secretKey, 'form tokens'))
  return {
    formToken: (sessionId: string, seal: FormSeal) => {
      const sealed = Buffer.from(JSON.stringify(seal)).toString('base64url')
      const content = `${randomText(12)}.${sealed}`
      return `${content}.${sign(`${sessionId} ${content}`)}`
    },
    /** Undefined: this session was not given it. */
    readFormToken: (sessionId: string, token: string): FormSeal | undefined => {
      const [random = '', sealed = '', signature = ''] = token.split('.')
      if (!isSigned(`${sessionId} ${random}.${sealed}`, signature)) return undefined
      return JSON.parse(Buffer.from(sealed, 'base64url').toString()) as FormSeal
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
