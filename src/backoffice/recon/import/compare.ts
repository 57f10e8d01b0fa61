import type { Db, Tx } from '#data/db/db.ts'
import { lineKey } from '../cases/facts.ts'
import { judge, proofsOf, type Terms } from '../cases/judge.ts'
import { writeVerdicts } from '../cases/write-verdicts.ts'
import type { ReconContext } from '../context.ts'
import { readUncompared } from './line-store.ts'
import { findMapping } from './mapping-store.ts'
import { partyFacts } from './party.ts'
import { readPayments } from './payments.ts'
import { markProving } from './proof-store.ts'
import type { Statement, StoredLine } from './statement.ts'
import type { ImportContext } from './turn.ts'

const comparedAtOnce = 1000

/** What the payments of a statement are judged by. */
export async function readTerms(
  run: Db | Tx,
  statement: Statement,
  recorded: ReadonlySet<string> = new Set(),
): Promise<Terms> {
  const fees = (await findMapping(run, statement))?.fees ?? undefined
  return { fees, timeZone: partyFacts(statement).timeZone, statementId: statement.id, recorded }
}

/** Judges the payments of lines anew, by what the books have now. Records no evidence. */
export async function judgeLines(
  tx: Tx,
  context: Pick<ReconContext, 'clock' | 'pseudonymOf'>,
  statement: Statement,
  lines: StoredLine[],
): Promise<void> {
  const payments = await readPayments(tx, context, statement, lines)
  const all = payments.flatMap((one) => one.lines)
  const terms = await readTerms(tx, statement, new Set(all.map(lineKey)))
  const waiting = new Set(all.flatMap((line) => (line.proves ? [lineKey(line)] : [])))
  const judgements = payments.map((one) => judge(one, terms))
  await writeVerdicts(tx, statement, judgements, { at: context.clock.now(), waiting })
}

/**
 * Gives every line its verdict that has none yet, some thousand in each database transaction. Of a
 * payment whose lines prove something these wait, and the rest with them.
 */
export async function compareAll(
  context: ImportContext,
  statement: Statement,
  progress: (lines: number) => Promise<void>,
): Promise<void> {
  const { db, clock, write } = context
  const terms = await readTerms(db, statement)
  for (let after = 0; ; ) {
    const lines = await readUncompared(db, statement.id, { after, limit: comparedAtOnce })
    const [first, last] = [lines[0]?.line, lines.at(-1)?.line]
    if (first === undefined || last === undefined) return
    const payments = await readPayments(db, context, statement, lines, { first, last })
    const judgements = payments.map((one) => judge(one, terms))
    const settled = judgements.filter(({ proof }) => proof === undefined)
    const proving = judgements.filter(({ proof }) => proof !== undefined)
    const proofs = proving.flatMap((one) => proofsOf(one, terms))
    await write(async (tx) => {
      await writeVerdicts(tx, statement, settled, { at: clock.now() })
      if (proofs.length > 0) await markProving(tx, proofs)
    })
    after = last
    await progress(lines.length)
  }
}
