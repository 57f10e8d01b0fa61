import type { DashboardContext } from '../../context.ts'
import { followRecord } from '../../frame/follow-record.ts'
import type { Pages } from '../../frame/pages.ts'
import { findShown } from '../_id.ts'

/** GET /dashboard/exports/:id/live: tells an open page when its export has changed. */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { exports, clock } = context
  pages.answer('/dashboard/exports/:id/live', 'transaction.export', async (visit, reply) => {
    const found = await findShown(exports, visit)
    if (found === undefined) return undefined
    return followRecord({ streams, clock }, visit, reply, {
      follow: (signal) => exports.follow(found, signal),
      version: async () => String((await exports.find(found))?.version),
    })
  })
}
