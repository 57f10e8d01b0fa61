import { timingSafeEqual } from 'node:crypto'
import { openHmac } from '../kit/hmac.ts'
import { keyFor } from '../kit/seal.ts'

/** The attempt that a callback address belongs to. */
export interface Subject {
  connector: string
  clientId: number
  attemptId: string
}

/** URLs for providers' callbacks: each carries an HMAC of its attempt, so nobody can guess one. */
export interface CallbackAddresses {
  make(subject: Subject): string
  isGenuine(subject: Subject, code: string): boolean
}

/** Makes and checks callback addresses; `publicUrl` is final only once the gateway listens. */
export function callbackAddresses(publicUrl: () => string, secretKey: Buffer): CallbackAddresses {
  const hmac = openHmac(keyFor(secretKey, 'callback addresses'))
  // The handling of one callback needs the same code twice: to check it, and for its address.
  let last = { text: '', code: '' }
  const codeOf = ({ connector, clientId, attemptId }: Subject) => {
    const text = `${connector} ${clientId} ${attemptId}`
    if (last.text !== text) last = { text, code: hmac(text, 'base64url').slice(0, 27) }
    return last.code
  }
  return {
    make: (subject) => {
      const { connector, clientId, attemptId } = subject
      return `${publicUrl()}/callbacks/${connector}/${clientId}/${attemptId}/${codeOf(subject)}`
    },
    isGenuine: (subject, code) => {
      const expected = Buffer.from(codeOf(subject))
      const given = Buffer.from(code)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
