import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { sendExport } from './export-table.ts'

/** GET /dashboard/transactions/export.csv, with the filters of the list */
export default function exportCsv(pages: Pages, context: DashboardContext): void {
  pages.answer('/dashboard/transactions/export.csv', 'transaction.export', (visit, reply) =>
    sendExport(context, visit, reply, 'csv'),
  )
}
