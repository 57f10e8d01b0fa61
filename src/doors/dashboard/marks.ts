import type { DashboardContext } from './context.ts'
import type { MarkReaders } from './frame/following.ts'
import { versionOf } from './ops.ts'

/** The marks of what pages show, each from the room that it is in. */
export function marksOf(context: DashboardContext): MarkReaders {
  const { batches, health, links, recon, transactions } = context
  return {
    client: transactions.marksOfClients,
    transaction: transactions.marks,
    link: links.marks,
    batch: batches.marks,
    health: async () => new Map([['', versionOf(await health.overview())]]),
    import: recon.marksOfFiles,
    statement: recon.marks,
  }
}
