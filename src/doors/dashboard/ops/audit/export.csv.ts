import type { DashboardContext } from '#doors/dashboard/context.ts'
import { sendAudit } from '#doors/dashboard/frame/audit-file.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

/** GET /dashboard/ops/audit/export.csv: each record with its hash, with the filters of the list */
export default function exportAudit(pages: Pages, context: DashboardContext): void {
  pages.answer('/dashboard/ops/audit/export.csv', 'ops.audit.read', (visit, reply) =>
    sendAudit(context, visit, reply),
  )
}
