import type { DashboardContext } from '#doors/dashboard/context.ts'
import { takePlace } from '#doors/dashboard/frame/downloads.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { sendSheet, sheetForms } from '#doors/dashboard/frame/send-file.ts'
import { findOwn } from '../_id.ts'

/** GET /dashboard/batches/:id/result: every line with its outcome. */
export default function result(pages: Pages, { batches }: DashboardContext): void {
  pages.answer('/dashboard/batches/:id/result', 'batch.read', async (visit, reply) => {
    const form = sheetForms.find((one) => one === visit.query.form)
    const batch = await findOwn(batches, visit)
    if (form === undefined || batch === undefined) return undefined
    takePlace(reply, batch.clientId)
    const table = await batches.resultFile(batch, visit.language)
    return sendSheet(reply, { name: `batch-${batch.id}`, form, table })
  })
}
