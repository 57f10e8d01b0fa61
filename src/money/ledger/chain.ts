import { hash } from 'node:crypto'
import type { Line } from './postings.ts'

/** What a posting's digest covers. */
export interface DigestedPosting {
  clientId: number
  id: string
  kind: string
  ref: string
  resolves: string | null
  createdAt: Date
  lines: Line[]
}

/** What an entry's link covers, besides the link before it and its posting's digest. */
export interface LinkedEntry {
  account: string
  version: number
  before: number
  amount: number
  after: number
}

/** The link before an account's first entry, and before the first anchor. */
export const genesis = '0'.repeat(64)

/** A posting's digest: the hash of all its fields and lines. */
export function digestOf(posting: DigestedPosting): string {
  const { clientId, id, kind, ref, resolves, createdAt } = posting
  const lines = posting.lines.map(({ account, currency, amount }) => [account, currency, amount])
  return sha256([clientId, id, kind, ref, resolves, createdAt, lines])
}

/** An entry's link in its account's chain: covers its whole posting and all entries before. */
export function linkOf(previous: string, digest: string, entry: LinkedEntry): string {
  const { account, version, before, amount, after } = entry
  return sha256([previous, digest, account, version, before, amount, after])
}

/** The next link of the public chain over the heads of accounts. */
export function anchorOf(previous: string, number: number, at: Date, heads: unknown[]): string {
  return sha256([previous, number, at, heads])
}

/** Of the values as JSON. Hashes are stored, so that not one byte of this text may ever change. */
function sha256(values: unknown[]): string {
  return hash('sha256', JSON.stringify(values), 'hex')
}
