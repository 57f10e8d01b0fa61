// Bounds the work for a body with thousands of fields.
const candidatesMax = 100

/**
 * The candidate that a misspelt word most likely stands for; undefined when none is near or several
 * are equally near. Case and separators do not count.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const plain = plainOf(word)
  // One mistake in three characters is no misspelling but another word.
  const most = Math.min(2, Math.ceil(plain.length / 3) - 1)
  const ranked = candidates
    .slice(0, candidatesMax)
    .map((candidate) => ({ candidate, away: distance(plain, plainOf(candidate), most) }))
    .filter(({ away }) => away <= most)
    .sort((one, other) => one.away - other.away)
  const [first, second] = ranked
  return first === undefined || first.away === second?.away ? undefined : first.candidate
}

function plainOf(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/**
 * How many letters were left out, added, replaced or swapped with their neighbour; Infinity when
 * the lengths alone differ by more than `most`.
 */
function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j += 1) {
      const isSwapped = one[i] === other[j - 1] && one[i - 1] === other[j]
      const swapped = isSwapped ? (before[j - 1] ?? i + j) + 1 : Number.POSITIVE_INFINITY
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1)
      next.push(Math.min(swapped, replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
