import { fr, inBoth } from '#base/kit/texts.ts'
import type { Audit } from '#data/db/audit.ts'
import type { AuditFilter } from '#data/db/audit-log.ts'
import { auditWord } from '#doors/dashboard/audit-words.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { auditFilterOf } from '#doors/dashboard/frame/audit-list.ts'
import { aboutOf } from '#doors/dashboard/frame/audit-record.ts'
import { beginDownload } from '#doors/dashboard/frame/downloads.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { readRange } from '#doors/dashboard/frame/ranges.ts'
import { sendSheet } from '#doors/dashboard/frame/send-file.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { OutputColumn, Value } from '#formats/tables/output.ts'

const words = inBoth({
  fr: {
    title: 'Journal',
    columns: [
      fr`Numéro dans la chaîne`,
      'Moment',
      'Qui',
      'Depuis',
      'Quoi',
      'Objet',
      'Marchand',
      'Action',
      fr`Détails`,
      fr`Empreinte`,
    ],
    end: (rows: number) => fr`Nombre d'entrées : ${rows}`,
  },
  en: {
    title: 'Audit log',
    columns: [
      'Number in the chain',
      'When',
      'Who',
      'From',
      'What',
      'About',
      'Merchant',
      'Action',
      'Details',
      'Hash',
    ],
    end: (rows: number) => `Number of records: ${rows}`,
  },
})

const widths = [10, 19, 24, 16, 24, 30, 10, 22, 40, 64]
const kinds: Partial<Record<number, OutputColumn['kind']>> = { 0: 'whole', 1: 'moment' }
const pageSize = 500

/** GET /dashboard/ops/audit/export.csv: each record with its hash, with the filters of the list */
export default function exportAudit(pages: Pages, context: DashboardContext): void {
  pages.answer('/dashboard/ops/audit/export.csv', 'ops.audit.read', async (visit, reply) => {
    const days = readRange(visit)
    if (Object.keys(days.problems).length > 0) return undefined
    const { title, columns } = words[visit.language]
    await beginDownload(context, visit, reply, 'audit.export')
    const who = visit.query.who?.trim() || null
    const filter = { ...auditFilterOf(visit, days), actor: who, limit: pageSize }
    return sendSheet(reply, {
      name: `audit-${visit.now.toISOString().slice(0, 10)}`,
      form: 'csv',
      table: {
        title,
        columns: columns.map((name, index) => ({
          title: name,
          kind: kinds[index] ?? 'text',
          width: widths[index] ?? 20,
        })),
        timeZone: visit.zone,
        rows: rowsOf(context.audit, visit, filter),
      },
    })
  })
}

/** The last row tells how many there are: a file that breaks off does not look complete. */
async function* rowsOf(
  audit: Audit,
  { language }: OpsVisit,
  filter: AuditFilter,
): AsyncGenerator<Value[]> {
  let count = 0
  for (let before = filter.before ?? null; ; ) {
    const page = await audit.list({ ...filter, before })
    for (const row of page) {
      const { number, at, actor, address, action, clientId, details, hash } = row
      count += 1
      const what = [auditWord(language, action), aboutOf(row)]
      yield [number, at, actor, address, ...what, clientId, action, JSON.stringify(details), hash]
    }
    const last = page.at(-1)
    if (last === undefined || page.length < filter.limit) break
    before = last.id
  }
  yield [words[language].end(count)]
}
