import { hash } from 'node:crypto'
import type { Line } from './postings.ts'

/** What an account's chain begins with. */
export const genesis = '0'.repeat(64)

interface Hashed {
  clientId: number
  id: string
  kind: string
  ref: string
  resolves: string | null
  createdAt: Date
  lines: Line[]
}

/** A posting's fingerprint: changes with any word or franc of it. */
export function digestOf(posting: Hashed): string {
  const { clientId, id, kind, ref, resolves, createdAt, lines } = posting
  return sha256([
    clientId,
    id,
    kind,
    ref,
    resolves,
    createdAt.toISOString(),
    lines.map((line) => [line.account, line.currency, line.amount]),
  ])
}

/** An entry's link in its account's chain: covers its whole posting and all entries before. */
export function linkOf(
  previous: string,
  digest: string,
  entry: { account: string; version: number; before: number; amount: number; after: number },
): string {
  const { account, version, before, amount, after } = entry
  return sha256([previous, digest, account, version, before, amount, after])
}

/** The next link of the public chain over accounts' heads. */
export function anchorOf(previous: string, number: number, at: Date, heads: unknown[]): string {
  return sha256([previous, number, at.toISOString(), heads])
}

function sha256(value: unknown[]): string {
  return hash('sha256', JSON.stringify(value), 'hex')
}
