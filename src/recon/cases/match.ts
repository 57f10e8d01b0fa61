import { insertCases } from './case-store.ts'
import type { CaseDraft, Facts, Verdict } from './compare.ts'
import { compareLine } from './compare.ts'
import type { ReconContext } from '../context.ts'
import { explainCases } from './explain.ts'
import type { Match } from '../import/find-ours.ts'
import { findOurs } from '../import/find-ours.ts'
import { identityWith, pseudonymIn } from '../import/identities.ts'
import type { ComparedLine } from '../import/line-store.ts'
import { findEarlier, findLinesOf, readUncompared, updateLines } from '../import/line-store.ts'
import type { FeeTerms } from '../import/mapping.ts'
import type { Suspended } from '../import/match-store.ts'
import { readSuspended } from '../import/match-store.ts'
import type { Statement, StoredLine } from '../import/statement.ts'
import type { ImportContext } from '../import/turn.ts'

const comparedAtOnce = 2000

/** How far the clocks of a provider and ours may differ, and how late its lines may be. */
export const edgeMs = 600_000

/** The provider's account in our ledger. */
export function accountOf({ provider, country }: Pick<Statement, 'provider' | 'country'>): string {
  return `provider:${provider}:${country}`
}

/** Compares every line that is not compared yet, some thousand in each database transaction. */
export async function compareAll(
  context: ImportContext,
  statement: Statement,
  fees: FeeTerms | undefined,
  progress: (lines: number) => Promise<void>,
): Promise<void> {
  const { db, clock, write } = context
  for (let after = 0; ; ) {
    const lines = await readUncompared(db, statement.id, { after, limit: comparedAtOnce })
    if (lines.length === 0) return
    const compared = await compareSome(context, statement, lines, fees)
    const now = clock.now()
    await write(async (tx) => {
      await updateLines(tx, statement.id, compared.map(rowOf))
      await insertCases(tx, statement, compared, now)
      await explainCases(tx, statement, compared.filter(isSettled).map(idOf), now)
    })
    after = lines.at(-1)?.line ?? after
    await progress(lines.length)
  }
}

/** A line with its verdict. */
export interface Compared {
  line: StoredLine
  match: Match | undefined
  /** Whose transaction it is. */
  owner: { clientId: number; transactionId: string; attemptId: string } | undefined
  verdict: Verdict
  cases: CaseDraft[]
}

async function compareSome(
  { db, pseudonymOf }: ReconContext,
  statement: Statement,
  lines: StoredLine[],
  fees: FeeTerms | undefined,
): Promise<Compared[]> {
  const [matches, earlier] = await Promise.all([
    findOurs(db, statement, lines),
    findEarlier(
      db,
      statement,
      lines.map((line) => withForgotten(line, pseudonymOf)),
    ),
  ])
  const earlierOf = new Map(earlier.map((one) => [one.repeatedBy, one]))
  const facts = await factsOf(db, statement, [...matches.values()])
  const done = new Map<number, Compared>()
  for (const line of lines) {
    const match = matches.get(line.line)
    const before = earlierOf.get(line.line)
    const given: Facts = { edgeMs, fees, earlier: before, ...(match && facts.of(match)) }
    const verdict = compareLine(line, given)
    const owner = match ? ownerOf(match) : ownerOfEarlier(before, done)
    const compared = { line, match, owner, verdict, cases: verdict.cases }
    if (match !== undefined && verdict.bucket !== 'known') facts.add(match, compared)
    done.set(line.line, compared)
  }
  return [...done.values()]
}

/** With what it would be known by if its number were forgotten. */
function withForgotten(line: StoredLine, pseudonymOf: ReconContext['pseudonymOf']) {
  return { ...line, forgotten: identityWith(line, pseudonymIn(line.phone, pseudonymOf)) }
}

/** What is known of transactions beside their rows; lines that are compared are added to it. */
export async function factsOf(
  db: Parameters<typeof findLinesOf>[0],
  statement: Statement,
  matches: Match[],
) {
  const ids = new Map(matches.map(({ ours }) => [keyOf(ours), ours]))
  const ended = matches.filter(({ ours }) => ['FAILED', 'CANCELLED'].includes(ours.status))
  const [lines, suspended] = await Promise.all([
    ids.size === 0 ? [] : findLinesOf(db, [...ids.values()]),
    ended.length === 0 ? [] : suspendedOf(db, statement, ended),
  ])
  const linesOf = new Map<string, StoredLine[]>()
  const addLine = (key: string, line: StoredLine) =>
    void linesOf.set(key, [...(linesOf.get(key) ?? []), line])
  for (const line of lines) addLine(`${line.clientId} ${line.transactionId}`, line)
  return {
    of: ({ ours, attemptId, isNamed }: Match): Partial<Facts> => ({
      ours,
      attemptId,
      isNamed,
      others: linesOf.get(keyOf(ours)) ?? [],
      suspended: suspended.filter((one) => one.attemptId === attemptId),
    }),
    add: ({ ours }: Match, { line, verdict: { booked, bookedAt } }: Compared) =>
      addLine(keyOf(ours), { ...line, booked, bookedAt }),
  }
}

export function suspendedOf(
  db: Parameters<typeof readSuspended>[0],
  statement: Statement,
  matches: Match[],
): Promise<Suspended[]> {
  const attempts = matches.map(({ ours: { clientId }, attemptId: id }) => ({ clientId, id }))
  return readSuspended(db, attempts, accountOf(statement))
}

function keyOf({ clientId, id }: { clientId: number; id: string }): string {
  return `${clientId} ${id}`
}

function ownerOf({ ours, attemptId }: Match) {
  return { clientId: ours.clientId, transactionId: ours.id, attemptId }
}

function ownerOfEarlier(earlier: StoredLine | undefined, done: Map<number, Compared>) {
  if (earlier === undefined) return undefined
  const { clientId, transactionId, attemptId } = earlier
  if (clientId === null || transactionId === null || attemptId === null)
    return done.get(earlier.line)?.owner
  return { clientId, transactionId, attemptId }
}

/** The row of a compared line. */
export function rowOf({ line: { line }, owner, verdict }: Compared): ComparedLine {
  const { clientId = null, transactionId = null, attemptId = null } = owner ?? {}
  const { bucket, booked, bookedAt } = verdict
  const proves = bucket === null
  return { line, bucket, clientId, transactionId, attemptId, proves, booked, bookedAt }
}

/** Whether a line agrees with its transaction, or is the first that tells of it. */
export function isSettled({ match, verdict, line }: Compared): boolean {
  return match !== undefined && verdict.bucket !== 'known' && line.result !== 'pending'
}

export function idOf({ owner, verdict }: Compared) {
  return {
    clientId: owner?.clientId ?? 0,
    transactionId: owner?.transactionId ?? '',
    agrees: verdict.bucket === 'matched',
  }
}
