import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { coalesceWrites } from './coalesce-writes.ts'
import { CommitUnknown, isWriteConflict, sqlStateOf } from './errors.ts'
import { type Run, runStatement } from './statement.ts'
import { streamOf } from './stream-of.ts'
import { duringCommit } from './watch-server.ts'

declare const transaction: unique symbol

/** A database transaction under way. */
export interface Tx extends Run {
  readonly [transaction]: true
}

const triesMax = 5

/** How transactions get a connection and begin. */
export interface Beginning {
  connect(): Promise<pg.PoolClient>
  begin(): string
}

/** Commits what `work` did, or none of it. Runs `work` again after a deadlock, 5 times in all. */
export function runTransaction<T>(beginning: Beginning, work: (tx: Tx) => Promise<T>): Promise<T> {
  return againAfterConflict(() => tryTransaction(beginning, work))
}

/** Does something that the server undoes wholly when it fails; again after a deadlock. */
export async function againAfterConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (problem) {
      if (!isWriteConflict(problem) || tries === triesMax) throw problem
      await sleep(5 * tries * (1 + Math.random()))
    }
  }
}

async function tryTransaction<T>(
  { connect, begin }: Beginning,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await connect()
  let connectionError: Error | undefined
  let isOver = false
  let firstProblem: unknown
  const beforeWrite = coalesceWrites(streamOf(client))
  try {
    const tx = (async (strings, ...values) => {
      // After a failure, a concurrent part of `work` may still run. Its statements would be outside
      // of the transaction, each committing on its own.
      if (isOver) throw new Error('the transaction is over')
      beforeWrite()
      return runStatement(client, strings, values).catch((problem: unknown) => {
        firstProblem ??= problem
        throw problem
      })
    }) as Tx
    // BEGIN shares the first statement's round trip.
    beforeWrite()
    const begun = client.query(begin())
    const [answer] = await Promise.all([work(tx), begun])
    isOver = true
    await commit(client)
    return answer
  } catch (problem) {
    isOver = true
    await client.query('rollback').catch((lost: Error) => {
      connectionError = lost
    })
    // Of statements sent together, those behind the failed one fail with 25P02 (the transaction is
    // aborted). The first problem is the cause.
    throw sqlStateOf(problem) === '25P02' && firstProblem !== undefined ? firstProblem : problem
  } finally {
    client.release(connectionError)
  }
}

/**
 * Throws `CommitUnknown` when the connection is lost before the answer to COMMIT, and when a wait
 * for a synchronous standby is cancelled: the server then answers COMMIT, with a warning.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let warning: string | undefined
  const onNotice = (notice: { severity?: string | undefined; message?: string | undefined }) => {
    if (notice.severity === 'WARNING') warning = notice.message
  }
  client.on('notice', onNotice)
  try {
    const result = await duringCommit(client, () => client.query('commit')).catch(
      (cause: unknown) => {
        throw isServerRefusal(cause) ? cause : new CommitUnknown('lost at commit', { cause })
      },
    )
    // If a statement failed, the server answers COMMIT with ROLLBACK and no error.
    if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back')
  } finally {
    client.off('notice', onNotice)
  }
  if (warning?.includes('synchronous replication')) throw new CommitUnknown(warning)
}

/** Whether the server refused the statement. Class 57P does not count: the server is stopping. */
function isServerRefusal(problem: unknown): boolean {
  const state = sqlStateOf(problem)
  return state !== '' && !state.startsWith('57P')
}
