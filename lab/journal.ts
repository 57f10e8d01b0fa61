import { closeSync, createReadStream, ftruncateSync, openSync, writeSync } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The lab's memory on disk: lines that are only appended, and read when the lab starts again. */
export interface Journal {
  append(line: unknown): void
  /** Calls `done` when all lines so far are in the file: an answer never tells what is not kept. */
  afterWrites(done: () => void): void
  /** Forgets all lines. */
  truncate(): void
  close(): void
}

/** A journal that keeps nothing. */
export const noJournal: Journal = {
  append: () => {},
  afterWrites: (done) => done(),
  truncate: () => {},
  close: () => {},
}

const fileName = 'books.ndjson'

/** The lines of the journal in a folder. One that was torn when the lab was killed is left out. */
export async function* readJournal(folder: string): AsyncGenerator<unknown[]> {
  const stream = createReadStream(join(folder, fileName))
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
      const line = parse(text)
      if (Array.isArray(line)) yield line as unknown[]
    }
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'ENOENT') throw problem
  }
}

/**
 * Replaces the journal of a folder by these lines, and opens it for more. Lines of one turn of the
 * event loop are written together, without waiting for the disk: they survive a killed lab, not a
 * power failure.
 */
export async function openJournal(folder: string, lines: Iterable<unknown>): Promise<Journal> {
  const path = join(folder, fileName)
  await mkdir(folder, { recursive: true })
  await replaceFile(path, lines)
  const file = openSync(path, 'a', 0o600)
  let isOpen = true
  let isFlushDue = false
  let waiting: string[] = []
  let callbacks: (() => void)[] = []

  function flush(): void {
    const ready = callbacks
    const text = waiting.length === 0 ? '' : `${waiting.join('\n')}\n`
    waiting = []
    callbacks = []
    isFlushDue = false
    try {
      if (isOpen) writeAll(file, text)
    } catch (problem) {
      // A full disk must not stop the lab: it goes on without its journal.
      console.error(`The lab's books are not kept any more: ${(problem as Error).message}`)
      close()
    }
    for (const done of ready) done()
  }

  function close(): void {
    if (isOpen) closeSync(file)
    isOpen = false
  }

  return {
    append: (line) => {
      if (!isOpen) return
      waiting.push(JSON.stringify(line))
      if (!isFlushDue) setImmediate(flush)
      isFlushDue = true
    },
    afterWrites: (done) => {
      if (isFlushDue) callbacks.push(done)
      else done()
    },
    truncate: () => {
      waiting = []
      if (isOpen) ftruncateSync(file)
    },
    close: () => {
      flush()
      close()
    },
  }
}

async function replaceFile(path: string, lines: Iterable<unknown>): Promise<void> {
  const draft = await open(`${path}.new`, 'w', 0o600)
  try {
    let text = ''
    for (const line of lines) {
      text += `${JSON.stringify(line)}\n`
      if (text.length < 1_000_000) continue
      await draft.appendFile(text)
      text = ''
    }
    await draft.appendFile(text)
    await draft.sync()
  } finally {
    await draft.close()
  }
  await rename(`${path}.new`, path)
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
