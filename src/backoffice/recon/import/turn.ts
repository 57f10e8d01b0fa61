import { Refusal } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import { sqlStateOf } from '#data/db/errors.ts'
import type { Run } from '#data/db/statement.ts'
import type { ReconContext } from '../context.ts'
import type { Party } from './statement.ts'
import { hasTurn, lockParty, takeTurn, tryLockParty, unlockParty } from './statement-store.ts'

/** What the import of a statement works with. */
export interface ImportContext extends ReconContext {
  /** A database transaction that commits only while no other process has begun an import. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/**
 * Runs work while no other process imports statements of the same provider. The lock is that of a
 * connection: should that break while work goes on, another process can begin, and from then on
 * nothing of this one is committed.
 */
export function whileLocked<T>(
  context: ReconContext,
  party: Party,
  work: (importing: ImportContext) => Promise<T>,
): Promise<T> {
  return context.db.session(async (run) => {
    await lockParty(run, party).catch((problem: unknown) => {
      throw sqlStateOf(problem) === lockNotAvailable ? isTaken() : problem
    })
    return untilDone(run, party, async () => work(await withTurn(context, party)))
  })
}

/** The same if the provider is free; else nothing. */
export async function whenFree(
  context: ReconContext,
  party: Party,
  work: (importing: ImportContext) => Promise<void>,
): Promise<void> {
  await context.db.session(async (run) => {
    if (!(await tryLockParty(run, party))) return
    await untilDone(run, party, async () => work(await withTurn(context, party)))
  })
}

/** Gives the lock back with the work: the server ends it only some time after the connection. */
async function untilDone<T>(run: Run, party: Party, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await unlockParty(run, party).catch(() => {})
  }
}

const lockNotAvailable = '55P03'

function isTaken(): Refusal {
  return new Refusal('conflict', 'Another statement of this provider is being imported')
}

/** Takes the next turn, once the last transaction of the turn before has ended. */
async function withTurn(context: ReconContext, party: Party): Promise<ImportContext> {
  const { db } = context
  const turn = await takeTurn(db, party)
  return {
    ...context,
    write: (work) =>
      db.transaction(async (tx) => {
        if (!(await hasTurn(tx, party, turn))) throw isTaken()
        return work(tx)
      }),
  }
}
