import { isUuidInAnyCase, timeOfIdMs } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { readOurReference } from '#money/providers/our-reference.ts'
import { directionOf } from '../cases/claims.ts'
import {
  type Found,
  findByReference,
  findNamed,
  findUnowned,
  type Ours,
  readOurs,
} from './match-store.ts'
import { codesOf } from './party.ts'
import { endOf, isOwn, type Party, type StoredLine } from './statement.ts'

/** What a line is found by. */
type Findable = Pick<
  StoredLine,
  'line' | 'at' | 'isDay' | 'reference' | 'ourReference' | 'kind' | 'sign'
>

/** Whether a line names the attempt that it is about, or the transaction, by our own id. */
export function namesOurs(
  { ourReference, attemptId }: Pick<StoredLine, 'ourReference' | 'attemptId'>,
  { id }: Pick<Ours, 'id'>,
): boolean {
  const text = ourReference?.toLowerCase() ?? ''
  const named = readOurReference(text)?.id ?? text
  return named === attemptId || named === id
}

/** Finds the attempts that lines are about, by number of line. */
export async function findOurs(
  db: Db,
  party: Party,
  lines: Findable[],
): Promise<Map<number, Found>> {
  const payments = lines.filter((line) => !isOwn(line))
  const codes = codesOf(party)
  const found = await matched(db, payments, await findByOurIds(db, payments), codes)
  const others = payments.filter(({ line }) => !found.has(line))
  const byReference = await findByReferences(db, others, codes)
  return new Map([...found, ...(await matched(db, others, byReference, codes))])
}

/** Those found whose transactions are of the provider and move money as the line does. */
async function matched(
  db: Db,
  lines: Findable[],
  found: Map<number, Found>,
  codes: string[],
): Promise<Map<number, Found>> {
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
    lines.flatMap((line): [number, Found][] => {
      const one = found.get(line.line)
      const ours = one && known.get(`${one.clientId} ${one.transactionId}`)
      if (one === undefined || ours === undefined || directionOf(ours) !== line.sign) return []
      const { clientId, transactionId, attemptId } = one
      return [[line.line, { clientId, transactionId, attemptId }]]
    }),
  )
}

async function findByOurIds(db: Db, lines: Findable[]): Promise<Map<number, Found>> {
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
  lines: Findable[],
  codes: string[],
): Promise<Map<number, Found>> {
  const wanted = lines.flatMap(({ line, reference, ...moment }) => {
    if (reference === null) return []
    return periodsOf(moment).map((period) => ({ line, reference, period }))
  })
  if (wanted.length === 0) return new Map()
  const found = new Map<number, Found>()
  const ambiguous = new Set<number>()
  for (const { line, ...one } of await findByReference(db, wanted, codes))
    if (found.has(line)) ambiguous.add(line)
    else found.set(line, one)
  for (const line of ambiguous) found.delete(line)
  return found
}

/** In which periods the transaction of a line began; a day without a time means any moment. */
export function periodsOf(line: Pick<StoredLine, 'at' | 'isDay'>): string[] {
  const until = endOf(line).getTime()
  const times = [line.at.getTime() - periodMs, until - periodMs, line.at.getTime(), until]
  return [...new Set(times.map(periodOf))]
}

/** The beginning of the ids of a time. */
export function periodOf(ms: number): string {
  return Math.max(0, ms).toString(16).padStart(12, '0').slice(0, 5)
}
