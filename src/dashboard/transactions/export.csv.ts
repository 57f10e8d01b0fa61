import { writeCsv } from '../../tables/write-csv.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { sendFile } from '../frame/send-file.ts'
import { exportName, exportTable } from './export-table.ts'

/** GET /dashboard/transactions/export.csv, with the filters of the list */
export default function exportCsv(pages: Pages, context: DashboardContext): void {
  pages.answer('/dashboard/transactions/export.csv', 'transaction.export', async (visit, reply) => {
    const table = await exportTable(context, visit)
    return table && sendFile(reply, exportName(visit, 'csv'), writeCsv(table))
  })
}
