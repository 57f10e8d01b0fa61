import { once } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'

/** A `COPY … FROM STDIN` under way, on a connection of its own. */
export interface CopyStream {
  /** Sends rows in COPY's text format; waits while the socket's buffer is full. */
  write(rows: string): Promise<void>
  /** Commits all rows. */
  end(): Promise<void>
}

/** What `pg` offers of its connection to a query. */
interface Connection {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Opens a COPY into a table. Needs a superuser: foreign keys are not checked. */
export async function openCopyStream(
  url: string,
  table: string,
  columns: string[],
): Promise<CopyStream> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set session_replication_role = replica')
  const started = Promise.withResolvers<Connection>()
  const ended = Promise.withResolvers<void>()
  // The interface that `pg` expects of a query object; pg has no COPY of its own.
  const query = {
    callback: () => {},
    submit: (connection: Connection) =>
      connection.query(`copy ${table} (${columns.join(', ')}) from stdin`),
    handleCopyInResponse: (connection: Connection) => started.resolve(connection),
    handleCommandComplete: () => {},
    handleReadyForQuery: () => ended.resolve(),
    handleError: (problem: Error) => {
      started.reject(problem)
      ended.reject(problem)
    },
  }
  client.query(query as unknown as pg.Submittable)
  const connection = await started.promise
  // write() and end() handle the rejection; this only prevents an unhandledRejection.
  ended.promise.catch(() => {})
  return {
    write: async (rows) => {
      connection.sendCopyFromChunk(Buffer.from(rows))
      if (connection.stream.writableNeedDrain)
        await Promise.race([once(connection.stream, 'drain'), ended.promise])
    },
    end: async () => {
      connection.endCopyFrom()
      await ended.promise
      await client.end()
    },
  }
}

/** One row of COPY's text format; values must be escaped already. */
export function copyRow(values: (string | number | null)[]): string {
  let text = ''
  for (const value of values) {
    if (text !== '') text += '\t'
    text += value ?? '\\N'
  }
  return `${text}\n`
}

/** Escapes a text for COPY's text format. */
export function escapeCopyText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
