import { findClient } from '../../clients/store.ts'
import type { Export, ExportOrder, MakeFile, Progress } from '../../exports/export.ts'
import { may } from '../../people/rights.ts'
import type { Movement } from '../../reports/movements-store.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import { writeXlsx } from '../../tables/write-xlsx.ts'
import type { DashboardContext } from '../context.ts'
import { readRange } from '../frame/ranges.ts'
import { movementCount, writeStatement } from '../statements/file.ts'
import { exportTable } from '../transactions/export-table.ts'
import { queryOf } from './describe.ts'

type MakeParts = Pick<
  DashboardContext,
  'db' | 'clock' | 'transactions' | 'subMerchants' | 'reports'
>

/** Makes the files of exports as pages would send them, for whoever asked for them. */
export function openMakers(parts: MakeParts): Record<ExportOrder['kind'], MakeFile> {
  return {
    transactions: (order, report) => transactionsFile(parts, order, report),
    statement: (order, report) => statementFile(parts, order, report),
  }
}

type Report = (progress: Progress) => Promise<void>

function readerOf({ clientId, language, timeZone, role, query }: Export) {
  return {
    language,
    zone: timeZone,
    query: queryOf({ query }),
    client: { id: clientId },
    may: (action: Parameters<typeof may>[1]) => may(role, action),
  }
}

async function* transactionsFile(
  parts: MakeParts,
  order: Export,
  report: Report,
): AsyncGenerator<Buffer> {
  const table = await exportTable(parts, readerOf(order), report)
  if (table === undefined) throw new Error(`the filters of export ${order.id} are wrong`)
  yield* order.form === 'xlsx' ? writeXlsx(table) : writeCsv(table)
}

async function* statementFile(
  { db, clock, reports }: MakeParts,
  order: Export,
  report: Report,
): AsyncGenerator<Buffer> {
  const reader = readerOf(order)
  const { from, to } = readRange(reader)
  if (from === null || to === null) throw new Error(`export ${order.id} has no range`)
  const statement = await reports.statement(order.clientId, { from, to })
  const name = (await findClient(db, order.clientId))?.name ?? ''
  const movements = counted(reports.eachMovement(statement), movementCount(statement), report)
  const shown = { ...reader, now: clock.now(), client: { name } }
  yield* writeStatement(shown, order.form, statement, movements)
}

const reportedEach = 2000

/** The movements, and how many of them have been read. */
async function* counted(
  movements: AsyncIterable<Movement>,
  total: number,
  report: Report,
): AsyncGenerator<Movement> {
  let rows = 0
  let reachedAt: Date | null = null
  for await (const one of movements) {
    yield one
    rows += 1
    reachedAt = one.at
    if (rows % reportedEach === 0)
      await report({ rows, share: Math.floor((1000 * rows) / total), reachedAt })
  }
  await report({ rows, share: 1000, reachedAt })
}
