import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openZip } from './read-zip.ts'
import { readSheet } from './sheet.ts'
import type { TableLimits, TableRow } from './table.ts'
import { readSharedTexts, readWorkbook } from './workbook.ts'

/**
 * Reads the first visible sheet of an Excel workbook. The directory of such a file is at its end,
 * so the bytes go to a temporary file first, which no longer has a name while it is used.
 */
export async function* readXlsx(
  bytes: AsyncIterable<Buffer>,
  limits: TableLimits,
): AsyncGenerator<TableRow> {
  const file = await openTemporary()
  try {
    let size = 0
    for await (const block of bytes) {
      await file.write(block, 0, block.length, size)
      size += block.length
    }
    const zip = await openZip(file, size, limits.unpackedBytesMax)
    const workbook = await readWorkbook(zip)
    const sharedTexts = await readSharedTexts(zip, workbook, limits)
    yield* readSheet(zip.read(workbook.sheet), { ...workbook, sharedTexts }, limits)
  } finally {
    await file.close()
  }
}

async function openTemporary(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'table-'))
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true })
  }
}
