import type { Tx } from '../../db/db.ts'
import type { Settled } from './case-store.ts'
import { lockExplained } from './case-store.ts'
import { moveCase } from './move-case.ts'
import type { Statement } from '../import/statement.ts'

/** The gateway itself, where no person did something. */
export const gatewayActor = 'gateway'

/** Closes the cases that lines of a statement explain; one that waits for a person stays. */
export async function explainCases(
  tx: Tx,
  { name }: Statement,
  settled: Settled[],
  at: Date,
): Promise<void> {
  if (settled.length === 0) return
  for (const one of await lockExplained(tx, settled))
    await moveCase(tx, one, {
      trigger: 'closed',
      actor: gatewayActor,
      at,
      closing: 'explained',
      reason: `A line of the statement ${name} tells of it`,
    })
}
