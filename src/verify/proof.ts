import { newId } from '../kit/ids.ts'
import type { Break } from './break.ts'
import type { Verdict } from './ledger.ts'

/** A run of every check, asked for in a browser or made by a command. */
export interface Proof {
  id: string
  askedBy: string
  askedAt: Date
  state: 'waiting' | 'running' | 'done' | 'failed'
  startedAt: Date | null
  endedAt: Date | null
  /** How often it was begun. */
  attempt: number
  /** How many merchants' entries were read, of how many. */
  done: number
  total: number
  /** What was read in all; null: it has not come to a result. */
  postings: number | null
  entries: number | null
  accounts: number | null
  anchors: number | null
  breaks: Break[] | null
  /** Why it came to no result. */
  problem: string | null
  version: number
}

/** What a proof came to, for its row. */
export function resultOf(verdict: Verdict) {
  const { postings, entries, accounts, anchors, breaks } = verdict
  return { postings, entries, accounts, anchors, breaks, problem: null }
}

export const noResult = {
  postings: null,
  entries: null,
  accounts: null,
  anchors: null,
  breaks: null,
}

/** Who ran a proof, and when. */
export interface ProofRun {
  askedBy: string
  startedAt: Date
  endedAt: Date
}

/** A proof that a command has run. */
export function endedProof(verdict: Verdict, { askedBy, startedAt, endedAt }: ProofRun): Proof {
  return {
    id: newId(startedAt),
    askedBy,
    askedAt: startedAt,
    state: 'done',
    startedAt,
    endedAt,
    attempt: 1,
    done: verdict.entries,
    total: verdict.entries,
    ...resultOf(verdict),
    version: 0,
  }
}
