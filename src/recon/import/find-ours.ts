import { services } from '../../catalog/services.ts'
import type { Db } from '../../db/db.ts'
import { isUuidInAnyCase, timeOfIdMs } from '../../kit/ids.ts'
import { readOurReference } from '../../providers/our-reference.ts'
import { directionOf } from '../cases/compare.ts'
import type { Found, Ours } from './match-store.ts'
import { findByReference, findNamed, findUnowned, readOurs } from './match-store.ts'
import type { Party, StoredLine } from './statement.ts'

/** The transaction of ours that a line is about. */
export interface Match {
  ours: Ours
  attemptId: string
  /** Whether it was found by the id that we gave the provider. */
  isNamed: boolean
}

/** The codes of a provider's services. */
export function codesOf({ provider, country }: Party): string[] {
  return services
    .filter((one) => one.provider === provider && one.country === country)
    .map(({ code }) => code)
}

/** Finds the transactions that lines are about, by number of line. */
export async function findOurs(
  db: Db,
  party: Party,
  lines: StoredLine[],
): Promise<Map<number, Match>> {
  const payments = lines.filter(({ kind }) => kind !== 'fee' && kind !== 'transfer')
  const codes = codesOf(party)
  const matches = await matched(db, payments, await findByOurIds(db, payments), codes, true)
  const others = payments.filter(({ line }) => !matches.has(line))
  const found = await findByReferences(db, others, codes)
  for (const [line, match] of await matched(db, others, found, codes, false))
    matches.set(line, match)
  return matches
}

/** Those found whose transactions are of the provider and move money as the line does. */
async function matched(
  db: Db,
  lines: StoredLine[],
  found: Map<number, Found>,
  codes: string[],
  isNamed: boolean,
): Promise<Map<number, Match>> {
  const ids = new Map(
    [...found.values()].map(({ clientId, transactionId: id }) => [
      `${clientId} ${id}`,
      { clientId, id },
    ]),
  )
  if (ids.size === 0) return new Map()
  const rows = await readOurs(db, [...ids.values()], codes)
  const known = new Map(rows.map((one) => [`${one.clientId} ${one.id}`, one]))
  return new Map(
    lines.flatMap((line): [number, Match][] => {
      const one = found.get(line.line)
      const ours = one && known.get(`${one.clientId} ${one.transactionId}`)
      if (one === undefined || ours === undefined || directionOf(ours) !== line.sign) return []
      return [[line.line, { ours, attemptId: one.attemptId, isNamed }]]
    }),
  )
}

async function findByOurIds(db: Db, lines: StoredLine[]): Promise<Map<number, Found>> {
  const named: { line: number; clientId: number; id: string }[] = []
  const unowned = new Map<string, number[]>()
  for (const { line, ourReference } of lines) {
    const text = ourReference?.toLowerCase() ?? ''
    const owned = readOurReference(text)
    if (owned !== null) named.push({ line, ...owned })
    else if (isUuidInAnyCase(text)) unowned.set(text, [...(unowned.get(text) ?? []), line])
  }
  const found = new Map<number, Found>()
  if (named.length > 0)
    for (const { line, ...one } of await findNamed(db, named)) found.set(line, one)
  if (unowned.size > 0) {
    const ids = [...unowned.keys()].toSorted()
    for (const { named: id, ...one } of await findUnowned(db, ids, rangesOf(ids)))
      for (const line of unowned.get(id) ?? []) found.set(line, one)
  }
  return found
}

const gapMs = 10_000

/** Ranges that hold these ids, which are sorted: ids that are close in time share one. */
function rangesOf(ids: string[]): { first: string; last: string }[] {
  const ranges: { first: string; last: string }[] = []
  for (const id of ids) {
    const open = ranges.at(-1)
    if (open !== undefined && timeOfIdMs(id) - timeOfIdMs(open.last) <= gapMs) open.last = id
    else ranges.push({ first: id, last: id })
  }
  return ranges
}

// The index of references begins with the first five digits of ids: three days have the same.
const periodMs = 2 ** 28

/** A reference that two transactions have says nothing. */
async function findByReferences(
  db: Db,
  lines: StoredLine[],
  codes: string[],
): Promise<Map<number, Found>> {
  const wanted = lines.flatMap(({ line, reference, at }) =>
    reference === null
      ? []
      : [0, 1].map((back) => ({
          line,
          reference,
          period: periodOf(at.getTime() - back * periodMs),
        })),
  )
  if (wanted.length === 0) return new Map()
  const found = new Map<number, Found>()
  const ambiguous = new Set<number>()
  for (const { line, ...one } of await findByReference(db, wanted, codes))
    if (found.has(line)) ambiguous.add(line)
    else found.set(line, one)
  for (const line of ambiguous) found.delete(line)
  return found
}

function periodOf(ms: number): string {
  return Math.max(0, ms).toString(16).padStart(12, '0').slice(0, 5)
}
