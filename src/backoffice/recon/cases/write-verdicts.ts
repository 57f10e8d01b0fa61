import type { Tx } from '#data/db/db.ts'
import { type ComparedLine, updateLines } from '../import/line-store.ts'
import { ownMoneyOf, type Statement, type StoredLine } from '../import/statement.ts'
import { writeCounts } from '../import/statement-store.ts'
import { lockStale, lockTold, writeCases } from './case-store.ts'
import { lineKey } from './facts.ts'
import type { CaseDraft, Judgement, Verdict } from './judge.ts'
import { moveCase } from './move-case.ts'

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
  if (rows.length === 0) return
  await updateLines(tx, rows)
  const verdicts = judgements.flatMap((one) => one.verdicts)
  const opened = judgements.flatMap(({ verdicts: own, payment: { ours } }) =>
    own.flatMap(({ line, cases }) =>
      cases.map((one) => ({
        ...withConflict(one, conflicts.get(lineKey(line))),
        statementId: line.statementId,
        line: line.line,
        clientId: ours?.clientId ?? null,
        transactionId: ours?.id ?? null,
      })),
    ),
  )
  await writeCases(tx, statement, opened, at)
  await explain(tx, statement, judgements, verdicts, at)
  const touched = new Set(rows.map(({ statementId }) => statementId))
  for (const id of [...touched].toSorted()) if (id !== statement.id) await writeCounts(tx, id)
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

function withConflict(one: CaseDraft, conflictId: string | undefined) {
  return conflictId === undefined ? one : { ...one, details: { ...one.details, conflictId } }
}

/** Closes cases that are no difference any more; one that waits for a person stays. */
async function explain(
  tx: Tx,
  { id, name, readAt }: Statement,
  judgements: Judgement[],
  verdicts: Verdict[],
  at: Date,
): Promise<void> {
  // A line that is judged for the first time has no case yet.
  const isFirst = ({ bucket, statementId }: StoredLine) =>
    bucket === null && statementId === id && readAt === null
  const judged = verdicts.filter(({ line }) => !isFirst(line))
  const stale = await lockStale(
    tx,
    judged.map(({ line: { statementId, line }, cases }) => ({
      statementId,
      line,
      kinds: cases.map(({ kind }) => kind).join(' '),
    })),
  )
  const told = await lockTold(
    tx,
    judgements.flatMap(({ isTold, payment: { ours } }) => (isTold && ours ? [ours] : [])),
  )
  const closing = 'explained' as const
  const reason = `A line of the statement ${name} tells of it`
  for (const one of [...stale, ...told])
    await moveCase(tx, one, { trigger: 'closed', actor: gatewayActor, at, closing, reason })
}
