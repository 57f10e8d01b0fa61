import type { Batch } from '../../../batches/batch.ts'
import type { Batches } from '../../../batches/open.ts'
import type { Html } from '../../../kit/html.ts'
import type { DashboardContext } from '../../context.ts'
import type { Pages } from '../../frame/pages.ts'
import { refresh, sendTurboStream } from '../../frame/turbo-stream.ts'
import { findOwn } from '../_id.ts'

/** GET /dashboard/batches/:id/live: tells an open page when its batch has changed. */
export default function live(pages: Pages, { batches }: DashboardContext): void {
  pages.answer('/dashboard/batches/:id/live', 'batch.read', async (visit, reply) => {
    const batch = await findOwn(batches, visit)
    if (batch === undefined) return undefined
    const { version = '' } = visit.query
    return sendTurboStream(reply, (signal) => changes(batches, batch, version, signal))
  })
}

/** Yields when the batch is no longer as the page shows it. */
async function* changes(
  batches: Batches,
  batch: Batch,
  version: string,
  signal: AbortSignal,
): AsyncGenerator<Html> {
  let shown = version
  for await (const _ of batches.follow(batch, signal)) {
    const now = String((await batches.find(batch))?.version)
    if (now === shown) continue
    shown = now
    yield refresh
  }
}
