import { isUuid } from '../../../../../kit/ids.ts'
import type { DashboardContext } from '../../../../context.ts'
import { followRecord } from '../../../../frame/follow-record.ts'
import type { Pages } from '../../../../frame/pages.ts'

/** GET /dashboard/ops/recon/statements/:id/live: tells an open page how far a comparison is. */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { recon, clock } = context
  pages.answer(
    '/dashboard/ops/recon/statements/:id/live',
    'ops.recon.read',
    async (visit, reply) => {
      const id = visit.part('id')
      if (!isUuid(id)) return undefined
      const { id: known } = await recon.get(id)
      return followRecord({ streams, clock }, visit, reply, {
        follow: (signal) => recon.follow(known, signal),
        version: async () => String((await recon.get(known)).version),
      })
    },
  )
}
