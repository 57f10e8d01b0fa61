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
    return sendTurboStream(reply, (signal) => changes(batches.follow(batch, signal)))
  })
}

async function* changes(follow: AsyncIterable<unknown>): AsyncGenerator<Html> {
  for await (const _ of follow) yield refresh
}
