import type { Sweeper } from '../../db/due.ts'
import { startSweeper } from '../../db/due.ts'
import type { ReconContext } from '../context.ts'
import { proveApproved } from './evidence.ts'
import { finishImport } from './finish.ts'
import { findStatement, findUnmatched } from './statement-store.ts'
import { whenFree } from './turn.ts'

const idleMs = 60_000

/**
 * Goes on with statements whose lines are stored and whose import has died. One that another
 * process works on is left to it.
 */
export async function resumeImports(context: ReconContext): Promise<number> {
  const unmatched = await findUnmatched(context.db)
  for (const found of unmatched)
    await whenFree(context, found, async (importing) => {
      const statement = await findStatement(context.db, found.id)
      if (statement?.state === 'matching') await finishImport(importing, statement)
    })
  return unmatched.length
}

/** Looks for such statements, and for approved proposals that lines wait for, once a minute. */
export function startReconSweeper(context: ReconContext): Sweeper {
  return startSweeper<never>({
    ...context,
    name: 'statements',
    claim: async () => {
      await proveApproved(context)
      await resumeImports(context)
      return []
    },
    work: async () => {},
    batchMax: 1,
    idleMs,
  })
}
