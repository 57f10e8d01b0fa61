/*
 * A column of many rows can come as one value: `string_agg` of what PostgreSQL's own send functions
 * make of each. That takes both sides a fraction of the time of a row for each.
 */

/** Texts that were joined by zero bytes, which no text of the database has. */
export function readWords(column: Buffer): string[] {
  return column.toString().split('\0')
}

/** The same of words of which there are few: equal ones are one text, which is found sooner. */
export function readTerms(column: Buffer): string[] {
  return readWords(column).map((word) => {
    const known = terms.get(word)
    if (known !== undefined) return known
    if (terms.size < termsMax) terms.set(word, word)
    return word
  })
}

const terms = new Map<string, string>()
const termsMax = 1000

const wholeBytes = 8
const high = 2 ** 32

/** One of the numbers of a `bigint` column. */
export function wholeAt(column: Buffer, index: number): number {
  const at = index * wholeBytes
  const upper = column.readInt32BE(at)
  const lower = column.readInt32BE(at + 4)
  // Most numbers fit into one half, and are then added up and written in half the time.
  if (upper === lower >> 31) return lower
  return upper * high + (lower >>> 0)
}

// Counted from the year 2000, in millionths of a second.
const epochMs = Date.UTC(2000, 0)

/** One of the moments of a `timestamptz` column. */
export function momentAt(column: Buffer, index: number): Date {
  return new Date(epochMs + Math.floor(wholeAt(column, index) / 1000))
}
