import { after } from '#base/kit/clock.ts'
import type { ReconContext } from '../context.ts'
import { type CaseLine, markJudged, ownLines, readUnjudged } from './again-store.ts'
import { judgeLines } from './compare.ts'
import { findOurs } from './find-ours.ts'
import { finish } from './finish.ts'
import { findLine } from './line-store.ts'
import { findStatement } from './statement-store.ts'
import { type ImportContext, whenFree } from './turn.ts'
import { judgeAnew } from './withdraw-store.ts'

const judgedAtOnce = 500
const hourMs = 3_600_000
// As far as references are looked for.
const strangerMs = 6 * 24 * hourMs

/**
 * Judges differences again that our books have changed about: their transaction has ended, or what
 * was proposed was refused; that records no evidence. A stranger's line whose reference is known by
 * now is compared as one of an import, with what it proves.
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
  const numbers = [...new Set(cases.map(({ line }) => line))]
  const stored = await Promise.all(numbers.map((line) => findLine(db, statementId, line)))
  const lines = stored.flatMap((line) => line ?? [])
  const strange = lines.filter(({ transactionId }) => transactionId === null)
  const found = await findOurs(db, statement, strange)
  const ours = strange.flatMap(({ line }) => {
    const owner = found.get(line)
    return owner === undefined ? [] : [{ statementId, line, ...owner }]
  })
  const others = lines.filter(({ line }) => !found.has(line))
  const ids = cases.map(({ id }) => id)
  await write(async (tx) => {
    await judgeLines(tx, context, statement, others)
    if (ours.length > 0) await ownLines(tx, ours)
    await judgeAnew(tx, ours)
    await markJudged(tx, ids, clock.now())
  })
  if (ours.length > 0) await finish(context, statementId)
}
