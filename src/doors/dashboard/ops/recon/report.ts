import { inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { takePlace } from '#doors/dashboard/frame/downloads.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { sendFile, sendSheet } from '#doors/dashboard/frame/send-file.ts'
import { writePdf } from '#formats/tables/write-pdf.ts'
import { readCaseFilter } from './case-filter.ts'

const words = inBoth({ fr: { name: 'ecarts' }, en: { name: 'differences' } })

const forms = ['csv', 'xlsx', 'pdf'] as const

/** GET /dashboard/ops/recon/report: the differences that the address asks for, as a file */
export default function report(pages: Pages, { recon }: DashboardContext): void {
  pages.answer('/dashboard/ops/recon/report', 'ops.recon.read', async (visit, reply) => {
    const form = forms.find((one) => one === visit.query.form)
    if (form === undefined) return undefined
    takePlace(reply, 0)
    const asked = { ...visit, query: { state: 'all', ...visit.query } }
    const table = await recon.report(readCaseFilter(asked).filter, visit.language, form)
    const name = `${words[visit.language].name}-${visit.now.toISOString().slice(0, 10)}`
    return form === 'pdf'
      ? sendFile(reply, `${name}.pdf`, writePdf(table))
      : sendSheet(reply, { name, form, table })
  })
}
