import type { FastifyReply } from 'fastify'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Audit } from '#data/db/audit.ts'
import type { AuditFilter, AuditRow } from '#data/db/audit-log.ts'
import type { OutputColumn, Value } from '#formats/tables/output.ts'
import { auditWord } from '../audit-words.ts'
import type { DashboardContext } from '../context.ts'
import { addressOf, auditFilterOf, nameIn, type Team, teamOf, textOf } from './audit-list.ts'
import { aboutOf, recordedOf } from './audit-record.ts'
import { beginDownload } from './downloads.ts'
import { readRange } from './ranges.ts'
import { sendSheet } from './send-file.ts'
import type { AnyVisit } from './visit.ts'

const words = inBoth({
  fr: { title: 'Journal', end: (rows: number) => fr`Nombre d'entrées : ${rows}` },
  en: { title: 'Audit log', end: (rows: number) => `Number of entries: ${rows}` },
})

type Column = [
  titles: Record<Language, string>,
  width: number,
  of: (row: AuditRow, language: Language, team: Team) => Value,
  kind?: OutputColumn['kind'],
]

const details = { fr: fr`Détails`, en: 'Details' }

const merchantColumns: Column[] = [
  [{ fr: 'Moment', en: 'When' }, 19, ({ at }) => at, 'moment'],
  [{ fr: 'Qui', en: 'Who' }, 24, ({ actor }, _, team) => nameIn(team, actor)],
  [{ fr: fr`Depuis`, en: 'From' }, 16, (row, _, team) => addressOf(row, team)],
  [{ fr: 'Quoi', en: 'What' }, 24, ({ action }, language) => auditWord(language, action)],
  [{ fr: 'Objet', en: 'About' }, 30, (row, _, team) => textOf(aboutOf(row), named(row, team))],
  [{ fr: 'Action', en: 'Action' }, 22, ({ action }) => action],
  [details, 40, (row, _, team) => textOf(Object.fromEntries(recordedOf(row)), named(row, team))],
]

// The chain is that of all clients together, and its hashes are of records as they were written.
const gatewayColumns: Column[] = [
  [
    { fr: fr`Numéro dans la chaîne`, en: 'Number in the chain' },
    10,
    ({ number }) => number,
    'whole',
  ],
  ...merchantColumns.slice(0, 5),
  [{ fr: 'Marchand', en: 'Merchant' }, 10, ({ clientId }) => clientId],
  ...merchantColumns.slice(5, 6),
  [details, 40, (row) => JSON.stringify(row.details)],
  [{ fr: fr`Empreinte`, en: 'Hash' }, 64, ({ hash }) => hash],
]

const pageSize = 500

/** Sends the records of a list with its filters, those of the gateway with their hashes. */
export async function sendAudit(
  context: DashboardContext,
  visit: AnyVisit,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const days = readRange(visit)
  if (Object.keys(days.problems).length > 0) return undefined
  const { language, client } = visit
  await beginDownload(context, visit, reply, 'audit.export')
  const team = await teamOf(context.people, visit)
  const filter = { ...auditFilterOf(visit, days, team), limit: pageSize }
  const columns = client === null ? gatewayColumns : merchantColumns
  const cells = (row: AuditRow) => columns.map(([, , of]) => of(row, language, team))
  return sendSheet(reply, {
    name: `audit-${visit.now.toISOString().slice(0, 10)}`,
    form: 'csv',
    table: {
      title: words[language].title,
      columns: columns.map(([titles, width, , kind = 'text']) => ({
        title: titles[language],
        kind,
        width,
      })),
      timeZone: visit.zone,
      rows: rowsOf(context.audit, filter, cells, words[language].end),
    },
  })
}

/** The last row tells how many there are: a file that breaks off does not look complete. */
async function* rowsOf(
  audit: Audit,
  filter: AuditFilter,
  cells: (row: AuditRow) => Value[],
  end: (rows: number) => string,
): AsyncGenerator<Value[]> {
  let count = 0
  for (let before = filter.before ?? null; ; ) {
    const page = await audit.list({ ...filter, before })
    for (const row of page) yield cells(row)
    count += page.length
    const last = page.at(-1)
    if (last === undefined || page.length < filter.limit) break
    before = last.id
  }
  yield [end(count)]
}

/** Whatever addresses a merchant's own people wrote are shown to them. */
function named({ actor }: AuditRow, team: Team): Team {
  return nameIn(team, actor) === actor ? null : team
}
