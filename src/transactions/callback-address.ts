import { timingSafeEqual } from 'node:crypto'
import { openHmac } from '../kit/hmac.ts'
import { keyFor } from '../kit/seal.ts'

/** What a callback address is made for. */
export interface Subject {
  connector: string
  clientId: number
  attemptId: string
}

/**
 * Addresses that providers call us at: each carries a code for its attempt that only we can make.
 */
export interface CallbackAddresses {
  make(subject: Subject): string
  isGenuine(subject: Subject, code: string): boolean
}

/** Makes and checks callback addresses under our public address, which is asked for each time. */
export function callbackAddresses(publicUrl: () => string, secretKey: Buffer): CallbackAddresses {
  const hmac = openHmac(keyFor(secretKey, 'callback addresses'))
  // Whoever reads a callback asks twice: is it genuine, and what is its address.
  let last = { words: '', code: '' }
  const codeOf = ({ connector, clientId, attemptId }: Subject) => {
    const words = `${connector} ${clientId} ${attemptId}`
    if (last.words !== words) last = { words, code: hmac(words, 'base64url').slice(0, 27) }
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
