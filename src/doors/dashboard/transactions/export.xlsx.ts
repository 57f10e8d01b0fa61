import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { sendExport } from './export-table.ts'

/** GET /dashboard/transactions/export.xlsx, with the filters of the list */
export default function exportXlsx(pages: Pages, context: DashboardContext): void {
  pages.answer('/dashboard/transactions/export.xlsx', 'transaction.export', (visit, reply) =>
    sendExport(context, visit, reply, 'xlsx'),
  )
}
