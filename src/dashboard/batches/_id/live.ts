import type { DashboardContext } from '../../context.ts'
import { followRecord } from '../../frame/follow-record.ts'
import type { Pages } from '../../frame/pages.ts'
import { findOwn } from '../_id.ts'

/** GET /dashboard/batches/:id/live: tells an open page when its batch has changed. */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { batches, clock } = context
  pages.answer('/dashboard/batches/:id/live', 'batch.read', async (visit, reply) => {
    const batch = await findOwn(batches, visit)
    if (batch === undefined) return undefined
    return followRecord({ streams, clock }, visit, reply, {
      follow: (signal) => batches.follow(batch, signal),
      version: async () => String((await batches.find(batch))?.version),
    })
  })
}
