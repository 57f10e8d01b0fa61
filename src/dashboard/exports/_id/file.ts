import type { DashboardContext } from '../../context.ts'
import type { Pages } from '../../frame/pages.ts'
import { sendFile } from '../../frame/send-file.ts'
import { findShown } from '../_id.ts'

/** GET /dashboard/exports/:id/file: a file that is ready. */
export default function file(pages: Pages, { exports }: DashboardContext): void {
  pages.answer('/dashboard/exports/:id/file', 'transaction.export', async (visit, reply) => {
    const found = await findShown(exports, visit)
    if (found?.state !== 'ready') return undefined
    const { kind, createdAt, form, bytes } = found
    const name = `${kind}-${createdAt.toISOString().slice(0, 10)}.${form}`
    return sendFile(reply, name, exports.read(found), bytes)
  })
}
