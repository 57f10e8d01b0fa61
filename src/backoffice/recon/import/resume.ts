import { type Sweeper, startSweeper } from '#data/db/due.ts'
import { sumLedgers } from '../balance/balance.ts'
import type { ReconContext } from '../context.ts'
import { proveApproved } from './evidence.ts'
import { finish } from './finish.ts'
import { judgeAgain } from './judge-again.ts'
import { findUnfinished } from './statement-store.ts'
import { whenFree } from './turn.ts'

const idleMs = 60_000

/**
 * Goes on with imports and withdrawals that have died, and removes files that were not stored to
 * their end. One that another process works on is left to it, and one that fails keeps no other.
 */
export async function resumeImports(context: ReconContext): Promise<number> {
  const unfinished = await findUnfinished(context.db)
  for (const { id, ...party } of unfinished)
    await whenFree(context, party, (importing) => finish(importing, id)).catch((problem: unknown) =>
      context.log.error(
        { err: problem, statementId: id },
        'the import of a statement could not be resumed',
      ),
    )
  return unfinished.length
}

/** Looks for such statements, approved proposals and changed books once a minute. */
export function startReconSweeper(context: ReconContext): Sweeper {
  return startSweeper<never>({
    ...context,
    name: 'statements',
    claim: async () => {
      await proveApproved(context)
      await resumeImports(context)
      await judgeAgain(context)
      await sumLedgers(context)
      return []
    },
    work: async () => {},
    batchMax: 1,
    idleMs,
  })
}
