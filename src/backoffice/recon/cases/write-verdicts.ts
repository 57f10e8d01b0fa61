import type { Tx } from '#data/db/db.ts'
import { type ComparedLine, updateLines } from '../import/line-store.ts'
import type { Unconfirmed } from '../import/match-store.ts'
import { type LineKey, ownMoneyOf, type Statement, type StoredLine } from '../import/statement.ts'
import { writeCounts } from '../import/statement-store.ts'
import type { Case } from './case.ts'
import { type FoundCase, lockMissing, lockOfLines, sumMoved, writeCases } from './case-store.ts'
import { lineKey } from './facts.ts'
import { lockUnclosed } from './filter-store.ts'
import { followCases, isDecided, joined, type KnownCase } from './follow.ts'
import type { Judgement, Verdict } from './judge.ts'
import { moveCases } from './move-case.ts'

/** The gateway itself, where no person did something. */
export const gatewayActor = 'gateway'

/** What is written with verdicts. */
interface Writing {
  at: Date
  /** Conflicts that evidence has opened, by line. */
  conflicts?: ReadonlyMap<string, string>
  /** Lines that go on waiting to be proven. */
  waiting?: ReadonlySet<string>
}

/**
 * Writes what payments were found to be: the lines of all files that tell of them, their fees and
 * transfers, the cases, and which cases are explained now. The only writer of verdicts.
 */
export async function writeVerdicts(
  tx: Tx,
  statement: Statement,
  judgements: Judgement[],
  { at, conflicts = new Map(), waiting = new Set() }: Writing,
): Promise<void> {
  const rows = judgements.flatMap((one) => rowsOf(one, statement, waiting))
  if (rows.length > 0) await updateLines(tx, rows)
  const known = await lockKnown(tx, statement, judgements)
  const opened = judgements.flatMap(({ verdicts }) => verdicts)
  const conflictsOf = new Map(
    opened.flatMap(({ line }): [string, object][] => {
      const conflictId = conflicts.get(lineKey(line))
      if (conflictId === undefined) return []
      return [[lineKey(line), { conflictId, conflictOf: line.statementId }]]
    }),
  )
  const { closed, reopened, written } = joined(
    judgements.map((one) => followCases(one, known.get(one) ?? [])),
  )
  const reason = `A line of the statement ${statement.name} tells of it`
  const move = { actor: gatewayActor, at }
  await moveCases(tx, closed, { ...move, trigger: 'closed', closing: 'explained', reason })
  await moveCases(tx, reopened, { ...move, trigger: 'reopened' })
  const cases = written.map((one) => ({
    ...one,
    details: { ...one.details, ...conflictsOf.get(lineKey({ ...one, line: one.line ?? 0 })) },
  }))
  await writeCases(tx, statement, cases, at)
  const before = [...known.values()].flat().map(({ statementId }) => statementId)
  const touched = new Set([...rows.map(({ statementId }) => statementId), ...before])
  // One that is being imported is counted at its end.
  if (statement.state !== 'read') touched.delete(statement.id)
  for (const id of [...touched].toSorted()) await writeCounts(tx, id)
}

/** Locks the cases that payments have, of lines and of what was missing. */
async function lockKnown(
  tx: Tx,
  { id, readAt }: Statement,
  judgements: Judgement[],
): Promise<Map<Judgement, KnownCase[]>> {
  // A line that is judged for the first time has no case yet.
  const isFirst = ({ bucket, statementId }: StoredLine) =>
    bucket === null && statementId === id && readAt === null
  const owner = new Map<string, Judgement>()
  for (const one of judgements) {
    const { holder, payment, verdicts } = one
    for (const { line } of verdicts) if (!isFirst(line)) owner.set(lineKey(line), one)
    const { clientId, id: ours } = payment.ours ?? {}
    if (holder !== undefined) owner.set(`${clientId} ${ours}`, one)
  }
  const lines = judgements.flatMap(({ verdicts }) =>
    verdicts.flatMap(({ line }) => (isFirst(line) ? [] : [line])),
  )
  const told = judgements.flatMap(({ holder, payment: { ours } }) =>
    holder !== undefined && ours !== undefined ? [ours] : [],
  )
  const found = [...(await lockOfLines(tx, lines)), ...(await lockMissing(tx, told))]
  const cases = await withMoved(tx, found)
  return Map.groupBy(cases, ({ statementId, line, clientId, transactionId }) => {
    const key = line === null ? `${clientId} ${transactionId}` : lineKey({ statementId, line })
    return owner.get(key) as Judgement
  })
}

/** Only of what a person has decided about something can have been moved. */
async function withMoved(tx: Tx, found: Case[]): Promise<KnownCase[]> {
  const ids = found.flatMap(({ id, decided, closing }) =>
    decided !== null || closing === 'adjusted' ? [id] : [],
  )
  const moved = await sumMoved(tx, ids)
  return found.map((one) => ({ ...one, moved: moved.get(one.id) ?? 0 }))
}

/** Opens cases for successes that no line tells of, one for each. */
export async function writeMissing(
  tx: Tx,
  statement: Statement,
  found: Unconfirmed[],
  at: Date,
): Promise<void> {
  const owners = found.map(({ clientId, transactionId: id }) => ({ clientId, id }))
  const before = await withMoved(tx, await lockMissing(tx, owners))
  const known = new Map(before.map((one) => [`${one.clientId} ${one.transactionId}`, one]))
  const written: FoundCase[] = []
  const reopened: KnownCase[] = []
  for (const { booked, bookedAt, amount, reference, phone, ...owner } of found) {
    const one = known.get(`${owner.clientId} ${owner.transactionId}`)
    if (one !== undefined && (one.state !== 'closed' || isDecided(one, -booked))) continue
    if (one !== undefined) reopened.push(one)
    const ours = { amount, status: 'SUCCESS', at: bookedAt.toISOString(), reference, phone }
    const details = { ...one?.details, ours }
    const place = { statementId: statement.id, line: null, kind: 'ours_only' as const }
    const stake = { amount: -booked - (one?.moved ?? 0), difference: -booked }
    written.push({ id: one?.id ?? null, ...place, ...owner, ...stake, details })
  }
  await moveCases(tx, reopened, { trigger: 'reopened', actor: gatewayActor, at })
  await writeCases(tx, statement, written, at)
  const others = new Set(reopened.map(({ statementId }) => statementId))
  for (const id of [...others].toSorted()) if (id !== statement.id) await writeCounts(tx, id)
}

/** A line of another statement that tells of the same as some of one that is withdrawn. */
export interface Heir extends LineKey {
  own: number[]
}

function placeOf({ kind, statementId, line }: Pick<Case, 'kind' | 'statementId' | 'line'>): string {
  return `${statementId} ${line} ${kind}`
}

/**
 * Takes back the cases of lines of a statement. Those that a file before had opened, or that people
 * have decided about, go on to a line that is left; others are closed. Returns the conflicts that
 * the statement itself has opened about them.
 */
export async function takeCasesBack(
  tx: Tx,
  statement: Statement,
  { lines, heirs }: { lines: LineKey[]; heirs: Heir[] },
  at: Date,
): Promise<string[]> {
  const known = await lockOfLines(tx, [...lines, ...heirs])
  const isOwn = ({ statementId }: Case) => statementId === statement.id
  const taken = new Set(known.map(placeOf))
  const heirOf = new Map(heirs.flatMap((heir) => heir.own.map((line) => [line, heir] as const)))
  const [passed, closed]: [FoundCase[], Case[]] = [[], []]
  const conflicts: string[] = []
  for (const one of known.filter(isOwn)) {
    const heir = heirOf.get(one.line ?? 0)
    const { conflictId, conflictOf, ...sides } = one.details
    const isKept = one.openedAt < statement.importedAt || one.decided !== null
    const to = heir && { ...one, statementId: heir.statementId, line: heir.line }
    if (isKept && to !== undefined && !taken.has(placeOf(to))) {
      taken.add(placeOf(to))
      const isOther = conflictOf !== statement.id
      passed.push(isOther ? to : { ...to, details: sides })
      if (!isOther && conflictId !== undefined) conflicts.push(conflictId)
    } else if (one.state !== 'closed') {
      closed.push(one)
      if (conflictId !== undefined) conflicts.push(conflictId)
    }
  }
  await writeCases(tx, statement, passed, at)
  await closeWithdrawn(tx, closed, at)
  return conflicts
}

const closedAtOnce = 1000

/** Closes what a statement that is withdrawn has found missing. */
export async function takeMissingBack(tx: Tx, { id }: Statement, at: Date): Promise<void> {
  for (;;) {
    const filter = { statementId: id, kind: 'ours_only' } as const
    const some = await lockUnclosed(tx, filter, closedAtOnce)
    if (some.length === 0) return
    await closeWithdrawn(tx, some, at)
  }
}

export const withdrawnReason = 'its statement was withdrawn'

async function closeWithdrawn(tx: Tx, cases: Case[], at: Date): Promise<void> {
  const closing = { closing: 'withdrawn', reason: withdrawnReason } as const
  await moveCases(tx, cases, { trigger: 'closed', actor: gatewayActor, at, ...closing })
}

/** The rows of the statement's own lines, and of others whose verdicts have changed. */
function rowsOf(
  { facts, verdicts }: Judgement,
  { id, state }: Statement,
  waiting: ReadonlySet<string>,
): ComparedLine[] {
  const own = new Map<string, { fees: number; transfers: number }>()
  // What a statement has booked stays as it is.
  if (state !== 'read')
    for (const { lines, number, current } of facts) {
      const ofStatement = lines.filter(({ statementId }) => statementId === id)
      const bearer = ofStatement.includes(current) ? current : ofStatement.at(-1)
      const before = lines.filter(({ statementId }) => statementId !== id)
      const whole = number === 1 ? ownMoneyOf(current) : { fees: 0, transfers: 0 }
      for (const line of ofStatement) own.set(lineKey(line), { fees: 0, transfers: 0 })
      if (bearer !== undefined)
        own.set(lineKey(bearer), {
          fees: whole.fees - before.reduce((sum, one) => sum + one.feesBooked, 0),
          transfers: whole.transfers - before.reduce((sum, one) => sum + one.transfersBooked, 0),
        })
    }
  return verdicts.flatMap((verdict): ComparedLine[] => {
    const { line, bucket, booked, bookedAt } = verdict
    const { statementId, clientId, transactionId, attemptId } = line
    const isWaiting = waiting.has(lineKey(line))
    if (statementId !== id && isSame(verdict) && line.proves === isWaiting) return []
    const { fees, transfers } = own.get(lineKey(line)) ?? {
      fees: line.feesBooked,
      transfers: line.transfersBooked,
    }
    const owner = { clientId, transactionId, attemptId }
    const money = { booked, bookedAt, feesBooked: fees, transfersBooked: transfers }
    return [{ statementId, line: line.line, bucket, ...owner, proves: isWaiting, ...money }]
  })
}

function isSame({ line, bucket, booked, bookedAt }: Verdict): boolean {
  const isBooked = booked === line.booked && bookedAt?.getTime() === line.bookedAt?.getTime()
  return bucket === line.bucket && isBooked
}
