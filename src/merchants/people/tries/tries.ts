import { createHmac } from 'node:crypto'
import { keysFor, type SecretKey } from '#base/sealing/seal.ts'
import type { DbParts } from '#data/db/db.ts'
import { countTries } from './store.ts'

/** What is counted, and how often it may be in a window. */
export type Limit = [subject: string[], max: number]

export type Tries = ReturnType<typeof openTries>

/** A try that was counted. */
export interface Taken {
  /** It was right, or was not made: it does not count. */
  giveBack(): Promise<void>
}

interface Window {
  windowStart: Date
  windowBefore: Date
}

/** Counts tries in windows of time; the database holds no address or name of who tries. */
export function openTries(parts: DbParts & { secretKey: SecretKey }) {
  const { db, clock } = parts
  const [key] = keysFor(parts.secretKey, 'known devices')
  const subjectOf = (words: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(words)).digest()
  const count = (limits: Limit[], window: Window, change: 'more' | 'fewer') =>
    countTries(db, { subjects: limits.map(([words]) => subjectOf(words)), ...window, change })

  return {
    /**
     * Counts a try before it is made, so that tries at the same moment cannot pass together.
     * Undefined: one limit is reached, and nothing is counted. A window slides: of the tries in the
     * one before, as many count as that reaches into the time that is looked at.
     */
    take: async (limits: Limit[], windowMs: number): Promise<Taken | undefined> => {
      const nowMs = clock.now().getTime()
      const startMs = Math.floor(nowMs / windowMs) * windowMs
      const window = { windowStart: new Date(startMs), windowBefore: new Date(startMs - windowMs) }
      const counts = await count(limits, window, 'more')
      const share = 1 - (nowMs - startMs) / windowMs
      const isAllowed = limits.every(([words, max]) => {
        const { tries = 0, before = 0 } = counts.get(subjectOf(words).toString('hex')) ?? {}
        return tries + Math.floor(before * share) <= max
      })
      // In the window in which it was counted, whatever the time is then.
      const giveBack = async () => void (await count(limits, window, 'fewer'))
      if (isAllowed) return { giveBack }
      await giveBack()
      return undefined
    },
  }
}
