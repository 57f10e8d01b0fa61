import type { DashboardContext } from '#doors/dashboard/context.ts'
import { sendAudit } from '#doors/dashboard/frame/audit-file.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

/** GET /dashboard/audit/export.csv, with the filters of the list */
export default function exportAudit(pages: Pages, context: DashboardContext): void {
  pages.answer('/dashboard/audit/export.csv', 'audit.read', (visit, reply) =>
    sendAudit(context, visit, reply),
  )
}
