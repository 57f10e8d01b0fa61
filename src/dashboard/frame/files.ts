import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { OutputTable } from '../../tables/output.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import { writeXlsx } from '../../tables/write-xlsx.ts'

/** The forms in which a table of rows can be downloaded. */
export const sheetForms = ['csv', 'xlsx'] as const

const types = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
} as const

/** Sends a file as a download; its rows are read as the browser takes them. */
export function sendFile(
  reply: FastifyReply,
  file: { name: string; form: keyof typeof types; blocks: AsyncIterable<Buffer> },
): FastifyReply {
  return reply
    .header('Content-Type', types[file.form])
    .header('Content-Disposition', `attachment; filename="${file.name}.${file.form}"`)
    .send(Readable.from(file.blocks))
}

/** Sends a table as CSV or XLSX. */
export function sendSheet(
  reply: FastifyReply,
  { name, form, table }: { name: string; form: (typeof sheetForms)[number]; table: OutputTable },
): FastifyReply {
  const blocks = form === 'csv' ? writeCsv(table) : writeXlsx(table)
  return sendFile(reply, { name, form, blocks })
}
