import type { DashboardContext } from './context.ts'
import { auditList } from './frame/audit-list.ts'
import type { Pages } from './frame/pages.ts'

/** GET /dashboard/audit */
export default function audit(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/audit', 'audit.read', async (visit) => ({
    ...(await auditList(context, visit)),
    section: 'audit',
  }))
}
