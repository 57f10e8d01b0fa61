import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where results are kept; git ignores all but the samples. */
export const resultsFolder = fileURLToPath(new URL('results/', import.meta.url))

/** The prefix of a run's result files: the time at which it started. */
export function stampOf(startedAt: Date): string {
  return startedAt.toISOString().replaceAll(/[:.]/g, '-').slice(0, 19)
}

/** Writes a result file of a run, as JSON unless it is text; returns its path. */
export async function keepResult(
  startedAt: Date,
  fileName: string,
  content: object | string,
): Promise<string> {
  await mkdir(resultsFolder, { recursive: true })
  const path = join(resultsFolder, `${stampOf(startedAt)}-${fileName}`)
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  await writeFile(path, `${text}\n`)
  return path
}
