/*
 * PostgreSQL's streaming replication protocol, spoken over the driver's connection: the same one
 * that pg_basebackup and pg_receivewal speak, so that no program is needed beside this one.
 */
import type { Duplex } from 'node:stream'
import type { Connection, Submittable } from 'pg'
import pg from 'pg'
import { primaryOf } from '../db/primary.ts'
import { Problem } from '../kit/problem.ts'

/** What the driver's connection can do beside what its types tell. */
interface CopyConnection extends Connection {
  stream: Duplex
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** A session that can stream files and the log of changes, and run plain statements. */
export interface ReplicationSession {
  /** Runs one statement without parameters; its rows as texts by column. */
  rows(statement: string): Promise<Record<string, string | null>[]>
  /** Starts a command that answers with a stream of messages. */
  stream(command: string): CopyStream
  close(): Promise<void>
}

// Some messages ahead of a disk that is slow; then the socket is no longer read.
const aheadBytesMax = 8 * 1024 * 1024

/**
 * Opens a session. It is bound to the database (and not only to the server), so that the line of
 * pg_hba.conf that lets the gateway in lets it in for this too.
 */
export async function openReplication(url: string, name: string): Promise<ReplicationSession> {
  const client = new pg.Client({
    connectionString: await primaryOf(url),
    replication: 'database',
    application_name: name,
    connectionTimeoutMillis: 10_000,
  } as pg.ClientConfig)
  // A connection that breaks fails what is under way; without a listener it would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (problem) {
    await client.end().catch(() => {})
    throw explainRefusal(problem as Error)
  }
  return {
    rows: async (statement) => {
      const { rows } = await client.query(statement)
      return rows.map((row: Record<string, string | number | boolean | null>) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [
            column,
            value === null ? null : String(value),
          ]),
        ),
      )
    },
    stream: (command) => client.query(new CopyStream(command)),
    close: () => client.end().catch(() => {}),
  }
}

function explainRefusal(problem: Error): Error {
  if (!/REPLICATION|replication/.test(problem.message))
    return new Problem(`The database cannot be reached for a backup: ${problem.message}.`, {
      cause: problem,
    })
  return new Problem(
    `The login may not read the server's files for a backup (${problem.message}): ` +
      'run "alter role LOGIN replication", or give another login in BACKUP_URL.',
    { cause: problem },
  )
}

/** The messages of one command, in order; rows that stand beside them are kept. */
export class CopyStream implements Submittable {
  /** The result sets that came so far: rows of texts. */
  readonly results: (string | null)[][][] = []
  readonly #command: string
  #connection: CopyConnection | undefined
  #messages: Buffer[] = []
  #bytes = 0
  #isEnded = false
  #problem: Error | undefined
  #wake: (() => void) | undefined

  constructor(command: string) {
    this.#command = command
  }

  /** Yields each message. Throws what the server reports, or when the connection breaks. */
  async *messages(): AsyncGenerator<Buffer> {
    for (;;) {
      const taken = this.take()
      yield* taken
      if (taken.length === 0 && this.#isEnded) {
        if (this.#problem !== undefined) throw this.#problem
        return
      }
      if (taken.length === 0) await this.arrival()
    }
  }

  /** What has arrived since the last call. */
  take(): Buffer[] {
    const taken = this.#messages
    this.#messages = []
    this.#bytes = 0
    this.#connection?.stream.resume()
    return taken
  }

  /** Resolves when there is something to take, or the stream has ended. */
  async arrival(): Promise<void> {
    if (this.#messages.length > 0 || this.#isEnded) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    await promise
  }

  /** Whether the server has ended the stream; throws when it ended by an error. */
  hasEnded(): boolean {
    if (this.#problem !== undefined) throw this.#problem
    return this.#isEnded && this.#messages.length === 0
  }

  send(message: Buffer): void {
    this.#connection?.sendCopyFromChunk(message)
  }

  /** Tells the server that no more is wanted; it ends the stream. */
  finish(): void {
    this.#connection?.endCopyFrom()
  }

  submit(connection: Connection): void {
    this.#connection = connection as CopyConnection
    connection.query(this.#command)
  }

  handleRowDescription(): void {
    this.results.push([])
  }

  handleDataRow({ fields }: { fields: (string | Buffer | null)[] }): void {
    this.results.at(-1)?.push(fields.map((field) => (field === null ? null : String(field))))
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // A copy: the parser uses its buffer again.
    this.#messages.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes > aheadBytesMax) this.#connection?.stream.pause()
    this.#wake?.()
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}

  handleReadyForQuery(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  handleError(problem: Error): void {
    this.#problem ??= problem
    this.handleReadyForQuery()
  }
}
