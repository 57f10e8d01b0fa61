import { isUuid } from '../../../../kit/ids.ts'
import type { DashboardContext } from '../../../context.ts'
import { followRecord } from '../../../frame/follow-record.ts'
import type { Pages } from '../../../frame/pages.ts'

/** GET /dashboard/ops/proof/:id/live: tells an open page when its proof has gone on */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { proofs, clock } = context
  pages.answer('/dashboard/ops/proof/:id/live', 'ops.read', async (visit, reply) => {
    const id = visit.part('id')
    if (!isUuid(id) || (await proofs.find(id)) === undefined) return undefined
    return followRecord({ streams, clock }, visit, reply, {
      follow: (signal) => proofs.follow(id, signal),
      version: async () => String((await proofs.find(id))?.version),
    })
  })
}
