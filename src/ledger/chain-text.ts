/*
 * Builds by hand the JSON texts that the hash chain hashes.
 *
 * - Gains: with `JSON.stringify` the main thread of `verify` takes 1.14 times as long (3.5 s, not
 *   3.1, for 174,000 postings). A payment gains 0.6 %, which alone would not justify it.
 * - Must never: differ by one byte from what `JSON.stringify` returns for the same list. Hashes are
 *   stored, and `verify` recomputes them.
 * - Tested against: the hash of `JSON.stringify`, for any texts, amounts and dates (chain.test.ts).
 * - Decision: docs/decisions/0028
 */
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

/** `[clientId, id, kind, ref, resolves, createdAt, [[account, currency, amount], …]]` as JSON. */
export function postingText(posting: DigestedPosting): string {
  const { clientId, id, kind, ref, resolves, createdAt, lines } = posting
  let lineTexts = ''
  for (const { account, currency, amount } of lines)
    lineTexts += `${lineTexts === '' ? '' : ','}[${quote(account)},${quote(currency)},${amount}]`
  const head = `${clientId},"${id}",${quote(kind)},${JSON.stringify(ref)}`
  const hold = resolves === null ? 'null' : `"${resolves}"`
  return `[${head},${hold},"${timeText(createdAt)}",[${lineTexts}]]`
}

/** `[previous, digest, account, version, before, amount, after]` as JSON. */
export function linkText(previous: string, digest: string, entry: LinkedEntry): string {
  const { account, version, before, amount, after } = entry
  return `["${previous}","${digest}",${quote(account)},${version},${before},${amount},${after}]`
}

const dayMs = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, number) => `${number}`.padStart(2, '0'))
let lastDay = { day: Number.NaN, text: '' }

/** The same as `toISOString`. The date part is reused: most postings are of the last one's day. */
function timeText(at: Date): string {
  const ms = at.getTime()
  // A forged row can hold 'infinity'. Its digest then differs, and verify reports it and goes on.
  if (Number.isNaN(ms)) return 'never'
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay.day) lastDay = { day, text: at.toISOString().slice(0, -13) }
  // As a 32-bit integer, of which V8 computes the remainders below faster.
  const ofDay = (ms - day * dayMs) | 0
  const hour = twoDigits[Math.floor(ofDay / 3_600_000)]
  const minute = twoDigits[Math.floor(ofDay / 60_000) % 60]
  const second = twoDigits[Math.floor(ofDay / 1000) % 60]
  return `${lastDay.text}${hour}:${minute}:${second}.${`${ofDay % 1000}`.padStart(3, '0')}Z`
}

const quotedTexts = new Map<string, string>()
const quotedTextsMax = 1000

/** A text as JSON, cached: accounts, currencies and kinds have few distinct values. */
function quote(text: string): string {
  const cached = quotedTexts.get(text)
  if (cached !== undefined) return cached
  const quoted = JSON.stringify(text)
  if (quotedTexts.size < quotedTextsMax) quotedTexts.set(text, quoted)
  return quoted
}
