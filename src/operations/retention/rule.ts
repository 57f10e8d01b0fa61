import type { RetentionSettings } from '#base/config/retention.ts'
import type { Db, Tx } from '#data/db/db.ts'
import type { Trace, Wanted } from './trace.ts'

export const ruleNames = [
  'evidence',
  'answers',
  'mails',
  'numbers',
  'batches',
  'statements',
  'differences',
  'blocks',
  'secrets',
] as const

export type RuleName = (typeof ruleNames)[number]

/** What became of some places: how much was forgotten, and which places are still needed. */
export interface Forgotten {
  count: number
  left: string[]
}

/**
 * Records of a client in an order of time that an index has. A place is the position or the id of
 * one, as a text. What is old and was looked at once is not looked at again, unless it was left.
 */
export interface Walk {
  /** The place before the first. */
  start: string
  /** The next places of records that are old, in their order; empty: no more are. */
  next(tx: Tx, part: Part): Promise<string[]>
  /** Forgets what these have, except what is still needed. */
  forget(tx: Tx, clientId: number, places: string[], before: Date): Promise<Forgotten>
  /** Places that were passed and are needed again. */
  findNeeded?(tx: Tx, clientId: number, reached: string): Promise<string[]>
}

export interface Part {
  clientId: number
  /** The last place that was looked at. */
  reached: string
  /** Only what is from before this time is old. */
  before: Date
  limit: number
}

/** What is forgotten after how many days; null: never. */
export interface Rule {
  name: RuleName
  /** The setting that tells how many days; null: they are fixed. */
  setting: string | null
  days(settings: RetentionSettings): number | null
  /** Along the records of each client; a table that is small is looked through as a whole. */
  work: Walk | ((tx: Tx, before: Date) => Promise<number>)
  /** Finds a payer's number in what the rule is about; null: it has none, or masked ones. */
  find: ((db: Db, wanted: Wanted) => Promise<Trace[]>) | null
}
