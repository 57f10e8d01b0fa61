import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { resendTicked } from './resend.ts'

/** POST /dashboard/developers/webhooks/replay: those that are ticked. */
export default function replay(pages: Pages, context: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/replay',
    { action: 'event.resend', reviewed: null },
    async (visit, form) => ({
      to: '/dashboard/developers/webhooks',
      ...(await resendTicked(context, visit, visit.client.id, form)),
    }),
  )
}
