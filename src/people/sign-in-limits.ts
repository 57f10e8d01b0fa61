import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { randomText } from '../kit/ids.ts'
import { keyFor } from '../kit/seal.ts'
import { addFailure, readFailures } from './sign-in-store.ts'

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
 * known device or through a mail.
 */
export function openSignInLimits({
  db,
  clock,
  secretKey,
}: {
  db: Db
  clock: Clock
  secretKey: Buffer
}) {
  const key = keyFor(secretKey, 'known devices')
  const signatureOf = (email: string, random: string) =>
    createHmac('sha256', key).update(`${email.toLowerCase()} ${random}`).digest('base64url')
  const isKnown = ({ email, device = '' }: Attempt) => {
    const [random = '', signature = ''] = device.split('.')
    const expected = Buffer.from(signatureOf(email, random))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  const windowStart = () => new Date(Math.floor(clock.now().getTime() / windowMs) * windowMs)
  const subject = (...words: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(words)).digest()
  const limitsOf = (attempt: Attempt): [subject: Buffer, max: number][] => {
    const { network, device = '' } = attempt
    const email = attempt.email.toLowerCase()
    if (isKnown(attempt)) return [[subject('device', email, device), perDevice]]
    return [
      [subject('network', network), perNetwork],
      [subject('both', email, network), perPersonAndNetwork],
      [subject('person', email), perPersonOnNewDevices],
    ]
  }

  return {
    /** Whether another try is allowed. */
    isAllowed: async (attempt: Attempt): Promise<boolean> => {
      const limits = limitsOf(attempt)
      const subjects = limits.map(([subject]) => subject)
      const counts = await readFailures(db, subjects, windowStart())
      return limits.every(([subject, max]) => (counts.get(subject.toString('hex')) ?? 0) < max)
    },
    /** Counts a wrong password. */
    fail: async (attempt: Attempt): Promise<void> => {
      const subjects = limitsOf(attempt).map(([subject]) => subject)
      await addFailure(db, subjects, windowStart())
    },
    /** The cookie's value of a device on which this person has signed in. */
    deviceOf: (email: string): string => {
      const random = randomText(12)
      return `${random}.${signatureOf(email, random)}`
    },
  }
}

export type SignInLimits = ReturnType<typeof openSignInLimits>
