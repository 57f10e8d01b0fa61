import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A file of lines, each a JSON array whose first item is its kind: only ever appended to. */
export interface Journal {
  append(line: [kind: string, ...unknown[]]): void
  /** Returns when every line so far is in the file. */
  flush(): void
  close(): void
}

/** Opens a journal. Lines of one turn of the event loop are written together. */
export function openJournal(path: string): Journal {
  const file = openSync(path, 'a')
  let waiting: string[] = []
  let isOpen = true

  function flush(): void {
    if (waiting.length === 0) return
    const bytes = Buffer.from(`${waiting.join('\n')}\n`)
    waiting = []
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  }

  return {
    append: (line) => {
      if (!isOpen) return
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(JSON.stringify(line))
    },
    flush,
    close: () => {
      flush()
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** The lines of a journal, in their order. */
export async function* readJournal(path: string): AsyncGenerator<unknown[]> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  for await (const line of lines) if (line !== '') yield JSON.parse(line) as unknown[]
}
