import { hash } from 'node:crypto'
import type { DigestedPosting, LinkedEntry } from './chain-text.ts'
import { linkText, postingText } from './chain-text.ts'

/** The link before an account's first entry, and before the first anchor. */
export const genesis = '0'.repeat(64)

/** A posting's digest: the hash of all its fields and lines. */
export function digestOf(posting: DigestedPosting): string {
  return sha256(postingText(posting))
}

/** An entry's link in its account's chain: covers its whole posting and all entries before. */
export function linkOf(previous: string, digest: string, entry: LinkedEntry): string {
  return sha256(linkText(previous, digest, entry))
}

/** The next link of the public chain over the heads of accounts. */
export function anchorOf(previous: string, number: number, at: Date, heads: unknown[]): string {
  return sha256(JSON.stringify([previous, number, at.toISOString(), heads]))
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
