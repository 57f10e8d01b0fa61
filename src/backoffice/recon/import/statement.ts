import { after } from '#base/kit/clock.ts'
import type { LineStatus, StatementLine } from '#formats/statements/statement.ts'

/** A provider in a country. */
export interface Party {
  provider: string
  country: string
}

/** The provider's account in our ledger. */
export function accountOf({ provider, country }: Party): string {
  return `provider:${provider}:${country}`
}

/**
 * `reading`: lines are stored. `matching`: they are compared, anew once another file was withdrawn.
 * `read`: it is done. `withdrawing`: its lines are taken back. `withdrawn`: it tells nothing.
 */
export type StatementState = 'reading' | 'matching' | 'read' | 'withdrawing' | 'withdrawn'

/** A file of a provider, and what was found in it. */
export interface Statement extends Party {
  id: string
  /** Null while it is being read. */
  fileHash: string | null
  /** Of the file. */
  name: string
  /** Such as csv, xlsx, camt.053. */
  format: string
  /** The time that it is about: from the first moment, up to the second, which is not in it. */
  fromAt: Date | null
  toAt: Date | null
  state: StatementState
  /** How far it has come, of 1,000. */
  share: number
  lines: number
  /** Lines that a file before had too. */
  known: number
  matched: number
  oursOnly: number
  theirsOnly: number
  different: number
  /** Transactions that its lines have ended. */
  ended: number
  /** Differences that it has opened, closed ones included. */
  cases: number
  /** What the file says that the provider held for us before and after; null: it does not. */
  opening: number | null
  closing: number | null
  /** What the lines add up to, less the fees. */
  net: number
  fees: number
  /** From our bank to the provider; below zero: to our bank. */
  transfers: number
  importedBy: string
  importedAt: Date
  readAt: Date | null
  version: number
}

export const buckets = ['known', 'matched', 'theirs_only', 'different'] as const

/** What a line was found to be. `known`: a file before had it. */
export type Bucket = (typeof buckets)[number]

/** What names a line. */
export type LineKey = Pick<StoredLine, 'statementId' | 'line'>

/** A line as it is stored. */
export interface StoredLine extends Omit<StatementLine, 'status' | 'isDay'> {
  isDay: boolean
  statementId: string
  identity: string
  result: LineStatus
  /** Null: not compared yet. */
  bucket: Bucket | null
  clientId: number | null
  transactionId: string | null
  attemptId: string | null
  /** What our ledger has of it, above zero if the provider holds more; null: nothing. */
  booked: number | null
  bookedAt: Date | null
  /** Whether it waits for its evidence to be recorded. */
  proves: boolean
  /** What it has booked of fees and of transfers: less what lines before it had of the same. */
  feesBooked: number
  transfersBooked: number
}

const dayMs = 86_400_000

/** The last moment that a line can be about. */
export function endOf({ at, isDay }: Pick<StatementLine, 'at'> & { isDay?: boolean | undefined }) {
  return isDay ? after(at, dayMs - 1) : at
}

/** What `passerelle recon import --json` prints. */
export interface Counts {
  lines: number
  matched: number
  oursOnly: number
  theirsOnly: number
  different: number
  ended: number
  cases: number
}

/** The counts of a statement; lines that a file before had are not counted again. */
export function countsOf(statement: Statement): Counts {
  const { lines, matched, oursOnly, theirsOnly, different, ended, cases } = statement
  return { lines, matched, oursOnly, theirsOnly, different, ended, cases }
}

type Moved = Pick<StoredLine, 'kind' | 'amount' | 'sign' | 'fee' | 'result'>

/** What a line has moved to the provider, without its fee. */
export function paidOf({ amount, sign, result }: Omit<Moved, 'kind' | 'fee'>): number {
  return result === 'succeeded' ? sign * amount : 0
}

/** The fee that the provider has kept: none of what waits or has failed. */
export function feeOf({ fee, result }: Pick<Moved, 'fee' | 'result'>): number {
  return result === 'succeeded' || result === 'reversed' ? fee : 0
}

/** What a line changes of the money that the provider holds for us. */
export function effectOf(line: Omit<Moved, 'kind'>): number {
  return paidOf(line) - feeOf(line)
}

/** Whether a line is of the gateway's own money, and of no payment. */
export function isOwn({ kind }: Pick<StoredLine, 'kind'>): boolean {
  return kind === 'fee' || kind === 'transfer'
}

/** The gateway's own money in a line: fees, and what came from our bank. */
export function ownMoneyOf(line: Moved): { fees: number; transfers: number } {
  const paid = paidOf(line)
  const fees = feeOf(line) - (line.kind === 'fee' ? paid : 0)
  return { fees, transfers: line.kind === 'transfer' ? paid : 0 }
}
