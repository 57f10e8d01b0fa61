import { fr } from '../../../pages/typography.ts'
import type { OutputTable } from '../../../tables/output.ts'
import { writePdf } from '../../../tables/write-pdf.ts'
import type { DashboardContext } from '../../context.ts'
import { momentText } from '../../frame/components.ts'
import type { Pages } from '../../frame/pages.ts'
import { sendFile, sendSheet } from '../../frame/send-file.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import { readCaseFilter } from './case-filter.ts'

const words = inBoth({
  fr: { name: 'ecarts', made: (at: string) => fr`Fait le ${at}` },
  en: { name: 'differences', made: (at: string) => `Made on ${at}` },
})

const forms = ['csv', 'xlsx', 'pdf'] as const

// What fits on the width of a page: opened, provider, line, kind, francs, state, both amounts,
// both statuses, their reference.
const printed = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12]

/** GET /dashboard/ops/recon/report: the differences that the address asks for, as a file */
export default function report(pages: Pages, { recon }: DashboardContext): void {
  pages.answer('/dashboard/ops/recon/report', 'ops.recon.read', (visit, reply) => {
    const form = forms.find((one) => one === visit.query.form)
    if (form === undefined) return undefined
    const all = { ...visit, query: { state: 'all', ...visit.query } }
    const table = recon.report(readCaseFilter(all).filter, visit.language)
    const name = `${words[visit.language].name}-${visit.now.toISOString().slice(0, 10)}`
    if (form !== 'pdf') return sendSheet(reply, { name, form, table })
    return sendFile(reply, `${name}.pdf`, writePdf(printedTable(visit, table)))
  })
}

function printedTable({ language, zone, now }: OpsVisit, { title, columns, rows }: OutputTable) {
  const pick = <T>(all: T[]): T[] => printed.flatMap((place) => all.slice(place, place + 1))
  async function* printedRows() {
    for await (const row of rows) yield pick(row)
  }
  return {
    title,
    language,
    timeZone: zone,
    columns: pick(columns),
    subtitles: [words[language].made(momentText({ language, zone }, now))],
    summary: [],
    rows: printedRows(),
  }
}
