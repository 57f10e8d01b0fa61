import type { DashboardContext } from '#doors/dashboard/context.ts'
import { takePlace } from '#doors/dashboard/frame/downloads.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { sendSheet } from '#doors/dashboard/frame/send-file.ts'
import { fileOf } from '#operations/retention/file.ts'
import { askedOf } from './number.ts'

/** GET /dashboard/ops/retention/export.csv: what a number took part in */
export default function exportNumber(pages: Pages, { numbers }: DashboardContext): void {
  pages.answer('/dashboard/ops/retention/export.csv', 'ops.number.export', async (visit, reply) => {
    takePlace(reply, 0)
    const found = await numbers.export(askedOf(visit), visit.actor)
    return sendSheet(reply, {
      name: `number-${visit.now.toISOString().slice(0, 10)}`,
      form: 'csv',
      table: fileOf(found, visit.language),
    })
  })
}
