import { once } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'

/** A stream of rows into a table, on a connection of its own. */
export interface CopyIn {
  /** Takes lines in PostgreSQL's text format; waits while the server is behind. */
  write(lines: string): Promise<void>
  /** Commits them all. */
  end(): Promise<void>
}

interface Wire {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Starts to fill a table; without checks of references, which only a superuser may leave out. */
export async function copyInto(url: string, table: string, columns: string[]): Promise<CopyIn> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set session_replication_role = replica')
  const started = Promise.withResolvers<Wire>()
  const ended = Promise.withResolvers<void>()
  // What `pg` asks of a query; a copy only needs to hear when it may begin and that it is over.
  const query = {
    callback: () => {},
    submit: (wire: Wire) => wire.query(`copy ${table} (${columns.join(', ')}) from stdin`),
    handleCopyInResponse: (wire: Wire) => started.resolve(wire),
    handleCommandComplete: () => {},
    handleReadyForQuery: () => ended.resolve(),
    handleError: (problem: Error) => {
      started.reject(problem)
      ended.reject(problem)
    },
  }
  client.query(query as unknown as pg.Submittable)
  const wire = await started.promise
  // Whoever writes or ends hears of it.
  ended.promise.catch(() => {})
  return {
    write: async (lines) => {
      wire.sendCopyFromChunk(Buffer.from(lines))
      if (wire.stream.writableNeedDrain)
        await Promise.race([once(wire.stream, 'drain'), ended.promise])
    },
    end: async () => {
      wire.endCopyFrom()
      await ended.promise
      await client.end()
    },
  }
}

/** Values as a line of the text format; null as it is written there. */
export function line(values: (string | number | null)[]): string {
  let text = ''
  for (const value of values) {
    if (text !== '') text += '\t'
    text += value ?? '\\N'
  }
  return `${text}\n`
}

/** A text in which nothing is taken for a sign of the format. */
export function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
