import { after, type Clock } from '#base/kit/clock.ts'
import { randomText } from '#base/kit/ids.ts'
import { openSigner } from '#base/sealing/hmac.ts'
import { keysFor, type SecretKey } from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { claimForm, finishForm, releaseForm } from './store.ts'

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

/** A form as it was sent: its whole token, or its number where it is claimed. */
interface SentForm {
  sessionId: string
  token: string
}

/**
 * Tokens of the forms of a session: proof that we wrote a form, its number, whose it is and what
 * the person saw.
 */
export function openForms({
  db,
  clock,
  secretKey,
}: {
  db: Db
  clock: Clock
  secretKey: SecretKey
}) {
  const { sign, isSigned } = openSigner(keysFor(secretKey, 'form tokens'))
  return {
    token: ({ sessionId, clientId, seen }: FormSeal & { sessionId: string }) => {
      const seal: FormSeal = { clientId, seen }
      const sealed = Buffer.from(JSON.stringify(seal)).toString('base64url')
      const content = `${randomText(12)}.${sealed}`
      return `${content}.${sign(`${sessionId} ${content}`)}`
    },
    /** Undefined: this session was not given it. */
    read: ({ sessionId, token }: SentForm): FormSeal | undefined => {
      const [random = '', sealed = '', signature = ''] = token.split('.')
      if (!isSigned(`${sessionId} ${random}.${sealed}`, signature)) return undefined
      return JSON.parse(Buffer.from(sealed, 'base64url').toString()) as FormSeal
    },
    /**
     * Whether a form is sent for the first time, or again after the process that had it died; else
     * where it has led, if that is known. What moves money derives its id from the form's number,
     * so that it is done once all the same.
     */
    claim: (form: SentForm) =>
      claimForm(db, { ...form, now: clock.now(), deadBefore: after(clock.now(), -actionMaxMs) }),
    finish: (form: SentForm & { location: string }) => finishForm(db, form),
    /** A form that was refused may be sent again. */
    release: (form: SentForm) => releaseForm(db, form),
  }
}
