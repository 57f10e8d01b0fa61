import type { DashboardContext } from '#doors/dashboard/context.ts'
import { resendRange } from '#doors/dashboard/developers/webhooks/resend.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientOf, deliveriesScreen } from '../screen.ts'

/** POST /dashboard/ops/webhooks/:client/replay-range: what happened between two moments */
export default function replayRange(pages: Pages, context: DashboardContext): void {
  pages.action(
    '/dashboard/ops/webhooks/:client/replay-range',
    { action: 'ops.webhooks.resend', reviewed: null },
    async (visit, form) => {
      const client = await clientOf(context, visit)
      if (client === undefined) return undefined
      const done = await resendRange(context, visit, client.id, form)
      if ('text' in done) return { to: `/dashboard/ops/webhooks/${client.id}`, ...done }
      return deliveriesScreen(context, visit, client, { fields: form.fields, ...done })
    },
  )
}
