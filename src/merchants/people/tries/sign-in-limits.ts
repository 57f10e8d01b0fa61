import { randomText } from '#base/kit/ids.ts'
import { openSigner } from '#base/sealing/hmac.ts'
import { keysFor, type SecretKey } from '#base/sealing/seal.ts'
import type { Limit, Tries } from './tries.ts'

const windowMs = 15 * 60_000
// Wrong passwords in a quarter of an hour. A town behind one address has many people who mistype.
const perNetwork = 100
const perPersonAndNetwork = 10
const perPersonOnNewDevices = 50
const perDevice = 10

/** Who tries to sign in. */
export interface Attempt {
  email: string
  /** The address, or the network of an IPv6 address. */
  network: string
  /** The value of the device's cookie; undefined: none. */
  device: string | undefined
}

/**
 * Limits wrong passwords so that nobody can lock another person out: a device that has signed in
 * before has a count of its own, which only that device can use up. All other attempts share counts
 * of the network and of the person, which an attacker may use up; the person then signs in on the
 * known device, or chooses a new password through a mail, which makes the device known.
 */
export function openSignInLimits({ secretKey, tries }: { secretKey: SecretKey; tries: Tries }) {
  const { sign, isSigned } = openSigner(keysFor(secretKey, 'known devices'))
  const isKnown = ({ email, device = '' }: Attempt) => {
    const [random = '', signature = ''] = device.split('.')
    return isSigned(textOf(email, random), signature)
  }
  const limitsOf = (attempt: Attempt): Limit[] => {
    const { network, device = '' } = attempt
    const email = attempt.email.toLowerCase()
    if (isKnown(attempt)) return [[['device', email, device], perDevice]]
    return [
      [['network', network], perNetwork],
      [['both', email, network], perPersonAndNetwork],
      [['person', email], perPersonOnNewDevices],
    ]
  }

  return {
    /** Counts an attempt; undefined: there were too many. */
    take: (attempt: Attempt) => tries.take(limitsOf(attempt), windowMs),
    /** The cookie's value of a device on which this person has signed in. */
    deviceOf: (email: string): string => {
      const random = randomText(12)
      return `${random}.${sign(textOf(email, random))}`
    },
  }
}

function textOf(email: string, random: string): string {
  return `${email.toLowerCase()} ${random}`
}

export type SignInLimits = ReturnType<typeof openSignInLimits>
