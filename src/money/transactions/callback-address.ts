import { type Hmac, isSame, openHmac } from '#base/sealing/hmac.ts'
import { keysFor, type SecretKey } from '#base/sealing/seal.ts'

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
export function callbackAddresses(
  publicUrl: () => string,
  secretKey: SecretKey,
): CallbackAddresses {
  const [key, ...others] = keysFor(secretKey, 'callback addresses')
  const hmac = openHmac(key)
  // Addresses that were made before SECRET_KEY was changed, or by a process that has the next.
  const otherHmacs = others.map(openHmac)
  // The handling of one callback needs the same code twice: to check it, and for its address.
  let last = { text: '', code: '' }
  const codeOf = (subject: Subject) => {
    const text = textOf(subject)
    if (last.text !== text) last = { text, code: codeBy(hmac, text) }
    return last.code
  }
  return {
    make: (subject) => {
      const { connector, clientId, attemptId } = subject
      return `${publicUrl()}/callbacks/${connector}/${clientId}/${attemptId}/${codeOf(subject)}`
    },
    isGenuine: (subject, code) =>
      isSame(codeOf(subject), code) ||
      otherHmacs.some((one) => isSame(codeBy(one, textOf(subject)), code)),
  }
}

function textOf({ connector, clientId, attemptId }: Subject): string {
  return `${connector} ${clientId} ${attemptId}`
}

function codeBy(hmac: Hmac, text: string): string {
  return hmac(text, 'base64url').slice(0, 27)
}
