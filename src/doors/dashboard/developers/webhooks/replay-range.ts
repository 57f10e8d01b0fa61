import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { resendRange } from './resend.ts'
import { webhooksScreen } from './screen.ts'

/** POST /dashboard/developers/webhooks/replay-range: what happened between two moments. */
export default function replayRange(pages: Pages, context: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/replay-range',
    { action: 'event.resend', reviewed: null },
    async (visit, form) => {
      const done = await resendRange(context, visit, visit.client.id, form)
      if ('text' in done) return { to: '/dashboard/developers/webhooks', ...done }
      return webhooksScreen(context, visit, { fields: form.fields, ...done })
    },
  )
}
