import type { DashboardContext } from '../../../../context.ts'
import { followRecord } from '../../../../frame/follow-record.ts'
import type { Pages } from '../../../../frame/pages.ts'

/** GET /dashboard/ops/recon/import/:id/live: tells an open page how far an import is. */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { recon, clock } = context
  pages.answer('/dashboard/ops/recon/import/:id/live', 'ops.recon.import', async (visit, reply) => {
    const file = await recon.file(visit.part('id'))
    if (file === undefined) return undefined
    return followRecord({ streams, clock }, visit, reply, {
      follow: (signal) => recon.followFile(file.id, signal),
      version: async () => String((await recon.file(file.id))?.version),
    })
  })
}
