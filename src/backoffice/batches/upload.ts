import { createHash } from 'node:crypto'
import { newId } from '#base/kit/ids.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { readTableApart } from '#formats/tables/read-table.ts'
import { type TableLimits, TableProblem, type TableRow } from '#formats/tables/table.ts'
import type { Batch, BatchLine } from './batch.ts'
import { type Columns, readHeader } from './columns.ts'
import type { BatchContext } from './context.ts'
import { flagDuplicates } from './duplicates.ts'
import { insertLines } from './line-store.ts'
import { readLine } from './read-line.ts'
import { findSameFile, insertBatch, insertStep } from './store.ts'

/** The most lines that a batch may have. */
export const linesMax = 10_000
// A title and notes may stand above the header.
const rowsBeforeHeaderMax = 10

/** What a file of payouts may cost. */
export const uploadLimits: TableLimits = {
  bytesMax: 5_000_000,
  unpackedBytesMax: 20_000_000,
  rowsMax: linesMax + rowsBeforeHeaderMax + 1,
  columnsMax: 50,
  cellLengthMax: 500,
}

export interface Upload {
  clientId: number
  actor: string
  /** What people call the batch; the file's name unless it is given. */
  name?: string
  fileName: string
  file: AsyncIterable<Uint8Array>
}

/**
 * Reads a file into a draft. Every line is kept, with all that is wrong with it; a file that cannot
 * be read as a whole is refused and leaves nothing behind.
 */
export async function uploadBatch(
  { db, clock, clients }: Pick<BatchContext, 'db' | 'clock' | 'clients'>,
  upload: Upload,
): Promise<Batch> {
  const contract = await clients.contractOf(upload.clientId)
  const hash = createHash('sha256')
  const owner = String(upload.clientId)
  const rows = readTableApart(hashing(upload.file, hash), uploadLimits, owner)
  const lines = await readLines(rows, (row, columns) => readLine(row, columns, contract))
  const now = clock.now()
  const fileHash = hash.digest('hex')
  return db.transaction(async (tx) => {
    await flagDuplicates(tx, upload.clientId, lines, now)
    const batch = await draftOf(tx, upload, lines, { fileHash, now })
    const { clientId, id: batchId } = batch
    const step = { trigger: 'uploaded', to: 'draft', actor: upload.actor, reason: null, at: now }
    await insertBatch(tx, batch)
    await insertLines(tx, batch, lines)
    await insertStep(tx, { clientId, batchId, ...step, state: '(new)' })
    const details = { batchId, name: batch.name, lines: lines.length, fileHash }
    await recordAudit(tx, {
      at: now,
      actor: upload.actor,
      action: 'batch.uploaded',
      clientId,
      details,
    })
    return batch
  })
}

async function* hashing(file: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of file) {
    hash.update(chunk)
    yield chunk
  }
}

async function readLines(
  rows: AsyncIterable<TableRow>,
  read: (row: TableRow, columns: Columns) => BatchLine,
): Promise<BatchLine[]> {
  const lines: BatchLine[] = []
  let columns: Columns | undefined
  let rowsBefore = 0
  try {
    for await (const row of rows) {
      if (columns !== undefined) lines.push(read(row, columns))
      else {
        columns = readHeader(row)
        rowsBefore += 1
        if (columns === undefined && rowsBefore > rowsBeforeHeaderMax) throw noHeader()
      }
      if (lines.length > linesMax) throw tooMany()
    }
  } catch (problem) {
    if (problem instanceof TableProblem)
      throw new Refusal('validation_failed', reason(problem.text, problem.values))
    throw problem
  }
  if (columns === undefined) throw noHeader()
  if (lines.length === 0) throw new Refusal('validation_failed', 'The file has no lines')
  return lines
}

function noHeader(): Refusal {
  return new Refusal(
    'validation_failed',
    'The file has no line with the titles of its columns, such as Numéro and Montant',
  )
}

function tooMany(): Refusal {
  return new Refusal(
    'validation_failed',
    reason('A batch has at most {linesMax} lines', { linesMax }),
  )
}

async function draftOf(
  tx: Tx,
  { clientId, actor, name, fileName }: Upload,
  lines: BatchLine[],
  { fileHash, now }: { fileHash: string; now: Date },
): Promise<Batch> {
  const sound = lines.filter(({ state }) => state === 'waiting')
  const sum = (of: (line: BatchLine) => number | null) =>
    sound.reduce((total, line) => total + (of(line) ?? 0), 0)
  const same = await findSameFile(tx, clientId, fileHash)
  const shown = oneLine(fileName, 120) || '1'
  return {
    clientId,
    id: newId(now),
    name: oneLine(name ?? '', 120) || shown,
    fileName: shown,
    fileHash,
    state: 'draft',
    uploadedBy: actor,
    proposedBy: null,
    approvedBy: null,
    reason: null,
    warnings: same.map((one) =>
      reason('The same file was uploaded before, as {name}', { name: one.name }),
    ),
    lines: lines.length,
    faulty: lines.length - sound.length,
    amount: sum(({ amount }) => amount),
    fee: sum(({ fee }) => fee),
    waiting: sound.length,
    open: 0,
    paid: 0,
    failed: 0,
    refused: 0,
    paidAmount: 0,
    version: 0,
    changedAt: now,
    createdAt: now,
    completedAt: null,
    dueAt: null,
  }
}
