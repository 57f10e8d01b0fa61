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
  // JSON, piece by piece: millions of them are made when a ledger is proven.
  let text = ''
  for (const { account, currency, amount } of lines)
    text += `${text === '' ? '' : ','}[${quote(account)},${quote(currency)},${amount}]`
  const ended = resolves === null ? 'null' : `"${resolves}"`
  const at = momentText(createdAt)
  return sha256(
    `[${clientId},"${id}",${quote(kind)},${JSON.stringify(ref)},${ended},"${at}",[${text}]]`,
  )
}

/** An entry's link in its account's chain: covers its whole posting and all entries before. */
export function linkOf(
  previous: string,
  digest: string,
  entry: { account: string; version: number; before: number; amount: number; after: number },
): string {
  const { account, version, before, amount, after } = entry
  return sha256(
    `["${previous}","${digest}",${quote(account)},${version},${before},${amount},${after}]`,
  )
}

/** The next link of the public chain over accounts' heads. */
export function anchorOf(previous: string, number: number, at: Date, heads: unknown[]): string {
  return sha256(JSON.stringify([previous, number, at.toISOString(), heads]))
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

const dayMs = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, number) => `${number}`.padStart(2, '0'))
let lastDay = { day: Number.NaN, text: '' }

/** What `toISOString` says, sooner: the day is nearly always that of the posting before. */
function momentText(at: Date): string {
  const ms = at.getTime()
  // No true posting has such a moment; one that was given it is told, and does not stop the proof.
  if (Number.isNaN(ms)) return 'never'
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay.day) lastDay = { day, text: at.toISOString().slice(0, -13) }
  // Of a whole number, which this is, the rests below are taken sooner.
  const rest = (ms - day * dayMs) | 0
  const hour = twoDigits[Math.floor(rest / 3_600_000)]
  const minute = twoDigits[Math.floor(rest / 60_000) % 60]
  const second = twoDigits[Math.floor(rest / 1000) % 60]
  return `${lastDay.text}${hour}:${minute}:${second}.${`${rest % 1000}`.padStart(3, '0')}Z`
}

const quoted = new Map<string, string>()
const quotedMax = 1000

/** A word of which there are few, as JSON. */
function quote(word: string): string {
  const known = quoted.get(word)
  if (known !== undefined) return known
  const text = JSON.stringify(word)
  if (quoted.size < quotedMax) quoted.set(word, text)
  return text
}
