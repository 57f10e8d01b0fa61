import { lineKey } from '../cases/facts.ts'
import { judge, type Payment, type Terms } from '../cases/judge.ts'
import { writeVerdicts } from '../cases/write-verdicts.ts'
import { readUncompared } from './line-store.ts'
import type { FeeTerms } from './mapping.ts'
import { partyFacts } from './party.ts'
import { readPayments } from './payments.ts'
import { markProving } from './proof-store.ts'
import type { Statement, StoredLine } from './statement.ts'
import type { ImportContext } from './turn.ts'

const comparedAtOnce = 1000

/** What the payments of a statement are judged by. */
export function termsOf(
  statement: Statement,
  fees: FeeTerms | undefined,
  recorded: ReadonlySet<string> = new Set(),
): Terms {
  return { fees, timeZone: partyFacts(statement).timeZone, statementId: statement.id, recorded }
}

/**
 * Gives every line its verdict that has none yet, some thousand in each database transaction. Of a
 * payment whose lines prove something these wait, and the rest with them.
 */
export async function compareAll(
  context: ImportContext,
  statement: Statement,
  fees: FeeTerms | undefined,
  progress: (lines: number) => Promise<void>,
): Promise<void> {
  const { db, clock, write } = context
  const terms = termsOf(statement, fees)
  for (let after = 0; ; ) {
    const lines = await readUncompared(db, statement.id, { after, limit: comparedAtOnce })
    const [first, last] = [lines[0]?.line, lines.at(-1)?.line]
    if (first === undefined || last === undefined) return
    const payments = await readPayments(db, context, statement, lines, { first, last })
    const judgements = payments.map((one) => judge(one, terms))
    const settled = judgements.filter(({ proof }) => proof === undefined)
    const proving = judgements.filter(({ proof }) => proof !== undefined)
    const proofs = proving.flatMap(({ payment }) => proofsOf(payment, terms))
    await write(async (tx) => {
      await writeVerdicts(tx, statement, settled, { at: clock.now() })
      if (proofs.length > 0) await markProving(tx, proofs)
    })
    after = last
    await progress(lines.length)
  }
}

/** Every line of a payment whose evidence is to be recorded, if each that comes before is. */
function proofsOf(payment: Payment, terms: Terms): StoredLine[] {
  const recorded = new Set(terms.recorded)
  const lines: StoredLine[] = []
  for (;;) {
    const { proof } = judge(payment, { ...terms, recorded })
    if (proof === undefined) return lines
    lines.push(proof.line)
    recorded.add(lineKey(proof.line))
  }
}
