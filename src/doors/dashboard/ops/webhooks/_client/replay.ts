import type { DashboardContext } from '#doors/dashboard/context.ts'
import { resendTicked } from '#doors/dashboard/developers/webhooks/resend.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientOf } from '../screen.ts'

/** POST /dashboard/ops/webhooks/:client/replay: those that are ticked */
export default function replay(pages: Pages, context: DashboardContext): void {
  pages.action(
    '/dashboard/ops/webhooks/:client/replay',
    { action: 'ops.webhooks.resend', reviewed: null },
    async (visit, form) => {
      const client = await clientOf(context, visit)
      if (client === undefined) return undefined
      const outcome = await resendTicked(context, visit, client.id, form)
      return { to: `/dashboard/ops/webhooks/${client.id}`, ...outcome }
    },
  )
}
