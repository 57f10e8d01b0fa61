import { writeXlsx } from '../../tables/write-xlsx.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { sendFile } from '../frame/send-file.ts'
import { exportName, exportTable } from './export-table.ts'

/** GET /dashboard/transactions/export.xlsx, with the filters of the list */
export default function exportXlsx(pages: Pages, context: DashboardContext): void {
  pages.answer(
    '/dashboard/transactions/export.xlsx',
    'transaction.export',
    async (visit, reply) => {
      const table = await exportTable(context, visit)
      return table && sendFile(reply, exportName(visit, 'xlsx'), writeXlsx(table))
    },
  )
}
