import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { webhooksScreen } from './webhooks/screen.ts'

/** GET /dashboard/developers/webhooks */
export default function webhooks(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/developers/webhooks', 'developer.read', (visit) =>
    webhooksScreen(context, visit),
  )
}
