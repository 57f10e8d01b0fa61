import { createHmac } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { keysFor } from '../sealing/seal.ts'
import { countTries } from './sign-in-store.ts'

/** What is counted, and how often it may be in a window. */
export type Limit = [subject: string[], max: number]

export type Tries = ReturnType<typeof openTries>

/** Counts tries in windows of time; the database holds no address or name of who tries. */
export function openTries(parts: { db: Db; clock: Clock; secretKey: SecretKey }) {
  const { db, clock } = parts
  const [key] = keysFor(parts.secretKey, 'known devices')
  const subjectOf = (words: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(words)).digest()
  const count = (limits: Limit[], windowMs: number, change: 'more' | 'fewer') =>
    countTries(db, {
      subjects: limits.map(([words]) => subjectOf(words)),
      windowStart: new Date(Math.floor(clock.now().getTime() / windowMs) * windowMs),
      change,
    })

  /** Takes a try back: one that was right, or that was not allowed. */
  const giveBack = async (limits: Limit[], windowMs: number): Promise<void> => {
    await count(limits, windowMs, 'fewer')
  }

  return {
    giveBack,
    /**
     * Counts a try before it is made, so that tries at the same moment cannot pass together. False:
     * one limit is reached, and nothing is counted.
     */
    take: async (limits: Limit[], windowMs: number): Promise<boolean> => {
      const counts = await count(limits, windowMs, 'more')
      const isAllowed = limits.every(
        ([words, max]) => (counts.get(subjectOf(words).toString('hex')) ?? 0) <= max,
      )
      if (!isAllowed) await giveBack(limits, windowMs)
      return isAllowed
    },
  }
}
