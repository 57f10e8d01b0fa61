import { after } from '#base/kit/clock.ts'
import { lineKey } from '../cases/facts.ts'
import { judge } from '../cases/judge.ts'
import { writeVerdicts } from '../cases/write-verdicts.ts'
import type { ReconContext } from '../context.ts'
import { type CaseLine, markJudged, readUnjudged } from './again-store.ts'
import { termsOf } from './compare.ts'
import { findOurs } from './find-ours.ts'
import { findLine } from './line-store.ts'
import { findMapping } from './mapping-store.ts'
import { readPayments } from './payments.ts'
import { findStatement, writeCounts } from './statement-store.ts'
import { type ImportContext, whenFree } from './turn.ts'

const judgedAtOnce = 500
const hourMs = 3_600_000
// As far as references are looked for.
const strangerMs = 6 * 24 * hourMs

/**
 * Judges differences again that our books have changed about: their transaction has ended, what was
 * proposed was refused, or the reference of a stranger's line is known by now. Records no evidence.
 */
export async function judgeAgain(context: ReconContext): Promise<void> {
  const now = context.clock.now()
  const times = { seenBefore: after(now, -hourMs), openedFrom: after(now, -strangerMs) }
  const cases = await readUnjudged(context.db, times, judgedAtOnce)
  for (const own of Map.groupBy(cases, ({ statementId }) => statementId).values()) {
    const [first] = own
    if (first !== undefined)
      await whenFree(context, first, (importing) => judgeOf(importing, first.statementId, own))
  }
}

async function judgeOf(
  context: ImportContext,
  statementId: string,
  cases: CaseLine[],
): Promise<void> {
  const { db, clock, write } = context
  const statement = await findStatement(db, statementId)
  if (statement?.state !== 'read') return
  const fees = (await findMapping(db, statement))?.fees ?? undefined
  const numbers = [...new Set(cases.map(({ line }) => line))]
  const stored = await Promise.all(numbers.map((line) => findLine(db, statementId, line)))
  const lines = stored.flatMap((line) => line ?? [])
  const found = await findOurs(
    db,
    statement,
    lines.filter(({ transactionId }) => transactionId === null),
  )
  const owned = lines.map((line) => ({ ...line, ...found.get(line.line) }))
  await write(async (tx) => {
    const at = clock.now()
    const payments = await readPayments(tx, context, statement, owned)
    const all = payments.flatMap((one) => one.lines)
    const terms = termsOf(statement, fees, new Set(all.map(lineKey)))
    const waiting = new Set(all.flatMap((line) => (line.proves ? [lineKey(line)] : [])))
    const judgements = payments.map((one) => judge(one, terms))
    await writeVerdicts(tx, statement, judgements, { at, waiting })
    await writeCounts(tx, statementId)
    await markJudged(
      tx,
      cases.map(({ id }) => id),
      at,
    )
  })
}
