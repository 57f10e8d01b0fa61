import { createHash } from 'node:crypto'
import { after } from '#base/kit/clock.ts'
import { randomText } from '#base/kit/ids.ts'
import type { PeopleParts } from '../context.ts'
import { challengeIn, type Signed } from './protocol.ts'
import { type Challenge, insertChallenge, takeChallenge } from './store.ts'

const challengeMs = 10 * 60_000

export type Purpose = Pick<Challenge, 'isNew' | 'personId'>

export type Challenges = ReturnType<typeof openChallenges>

/** What devices are asked to sign: each kept until it is used, for one purpose, or expires. */
export function openChallenges({ db, clock }: PeopleParts) {
  return {
    make: async (purpose: Purpose): Promise<Buffer> => {
      const challenge = randomText(32)
      const expiresAt = after(clock.now(), challengeMs)
      await insertChallenge(db, { ...purpose, hash: hashOf(challenge), expiresAt })
      return Buffer.from(challenge, 'base64url')
    },
    /** Uses up the challenge that was signed; undefined: it is not one of ours, or no longer. */
    take: async (signed: Signed, purpose: Purpose): Promise<string | undefined> => {
      const challenge = challengeIn(signed)
      if (challenge === undefined) return undefined
      const one = { ...purpose, hash: hashOf(challenge) }
      return (await takeChallenge(db, one, clock.now())) ? challenge : undefined
    },
  }
}

function hashOf(challenge: string): Buffer {
  return createHash('sha256').update(challenge).digest()
}
