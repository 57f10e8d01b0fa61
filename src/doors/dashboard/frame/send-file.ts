import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { OutputTable } from '#formats/tables/output.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'

const types = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
}

/**
 * Sends a file as it is written: at the pace of its reader, whatever its length. One that cannot be
 * written to its end breaks the connection off, so that nobody takes a part for the whole.
 */
export function sendFile(
  reply: FastifyReply,
  name: string,
  blocks: AsyncIterable<Buffer>,
): FastifyReply {
  const ending = name.slice(name.lastIndexOf('.') + 1) as keyof typeof types
  return reply
    .type(types[ending])
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .header('X-Content-Type-Options', 'nosniff')
    .send(Readable.from(blocks, { objectMode: false }))
}

/** The forms in which a table of rows can be downloaded. */
export const sheetForms = ['csv', 'xlsx'] as const

/** Sends a table as CSV or XLSX. */
export function sendSheet(
  reply: FastifyReply,
  { name, form, table }: { name: string; form: (typeof sheetForms)[number]; table: OutputTable },
): FastifyReply {
  return sendFile(reply, `${name}.${form}`, form === 'csv' ? writeCsv(table) : writeXlsx(table))
}
