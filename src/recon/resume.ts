import { Refusal } from '../catalog/refusal.ts'
import type { Sweeper } from '../db/due.ts'
import { startSweeper } from '../db/due.ts'
import type { ReconContext } from './context.ts'
import { finishImport } from './finish.ts'
import { whileLocked } from './import.ts'
import { followApprovals } from './mend.ts'
import { findStatement, findUnmatched } from './store.ts'

const idleMs = 60_000

/**
 * Goes on with statements whose lines are stored and whose import has died. One that another
 * process works on is left to it.
 */
export async function resumeImports(context: ReconContext): Promise<number> {
  const unmatched = await findUnmatched(context.db)
  for (const found of unmatched)
    await whileLocked(context, found, async () => {
      const statement = await findStatement(context.db, found.id)
      if (statement?.state === 'matching') await finishImport(context, statement)
    }).catch((problem: unknown) => {
      if (!(problem instanceof Refusal)) throw problem
    })
  return unmatched.length
}

/** Looks for such statements, and for decisions that cases wait for, once a minute. */
export function startReconSweeper(context: ReconContext): Sweeper {
  return startSweeper<never>({
    ...context,
    name: 'statements',
    claim: async () => {
      await followApprovals(context)
      await resumeImports(context)
      return []
    },
    work: async () => {},
    batchMax: 1,
    idleMs,
  })
}
