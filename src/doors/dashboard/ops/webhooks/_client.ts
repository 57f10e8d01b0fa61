import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientOf, deliveriesScreen } from './screen.ts'

/** GET /dashboard/ops/webhooks/:client: the deliveries of one merchant */
export default function webhooks(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/webhooks/:client', 'ops.read', async (visit) => {
    const client = await clientOf(context, visit)
    return client && deliveriesScreen(context, visit, client)
  })
}
