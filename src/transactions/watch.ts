import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Transaction, TransactionId } from './transaction.ts'
import type { ClientMark } from './watch-store.ts'
import {
  newestMax,
  readClientMarks,
  readPossiblyChanged,
  readTransactionMarks,
} from './watch-store.ts'

/** What has changed of a client since the round before; without rows: only its balance. */
export interface Change {
  /** When the round began: whatever is committed later is in another one. */
  at: Date
  /** Created since, oldest first. */
  created: Transaction[]
  /** In another state than before. */
  moved: Transaction[]
  /** More was created than one round reads: a list must be read again. */
  isPartial: boolean
}

interface WatchedClient {
  mark: ClientMark | undefined
  /** The states of those that were compared last, by id. */
  states: Map<string, string>
  newest: string
  listeners: Set<(change: Change) => void>
}

interface WatchedOne {
  id: TransactionId
  mark: string | undefined
  listeners: Set<() => void>
}

const roundMs = 1000
// Clocks of processes may differ a little, and a row is visible a moment after its time.
const marginMs = 2000
const lateCommitMs = 30_000

/**
 * Tells of new and changed transactions, whichever process changed them. Once a second it compares
 * the marks of all watched clients by one statement, and reads rows only of clients that moved.
 * While nobody watches it does nothing.
 */
export function openTransactionWatch({ db, clock, log }: { db: Db; clock: Clock; log: Log }) {
  const clients = new Map<number, WatchedClient>()
  const ones = new Map<string, WatchedOne>()
  let timer: NodeJS.Timeout | undefined
  let isRunning = false

  async function round(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      if (clients.size > 0) await compareClients(db, clients, clock.now())
      if (ones.size > 0) await compareOnes(db, ones)
    } catch (problem) {
      log.warn({ err: problem }, 'transactions could not be watched for a moment')
    } finally {
      isRunning = false
    }
  }

  function begin(): void {
    timer ??= setInterval(() => void round(), roundMs).unref()
  }

  function endIfUnwatched(): void {
    if (clients.size + ones.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** Calls with each change of a client, until the returned function is called. */
    followClient(clientId: number, listener: (change: Change) => void): () => void {
      const watched = clients.get(clientId) ?? unwatched()
      clients.set(clientId, watched)
      watched.listeners.add(listener)
      begin()
      return () => {
        watched.listeners.delete(listener)
        if (watched.listeners.size === 0) clients.delete(clientId)
        endIfUnwatched()
      }
    },
    /** Calls when a transaction has another mark than this one, and after each further change. */
    followOne(id: TransactionId, mark: string, listener: () => void): () => void {
      const known = ones.get(id.id)
      if (known?.mark !== undefined && known.mark !== mark) listener()
      const watched = known ?? { id, mark, listeners: new Set() }
      ones.set(id.id, watched)
      watched.listeners.add(listener)
      begin()
      return () => {
        watched.listeners.delete(listener)
        if (watched.listeners.size === 0) ones.delete(id.id)
        endIfUnwatched()
      }
    },
    /** The mark of a transaction, to be read before the transaction. */
    markOf: async (id: TransactionId) => (await readTransactionMarks(db, [id])).get(id.id) ?? '',
    /** What may have changed since a time, for a page that was shown then. */
    changedSince: (clientId: number, since: Date) =>
      readChangedSince(db, { clientId, since, now: clock.now() }),
  }
}

async function readChangedSince(
  db: Db,
  { clientId, since, now }: { clientId: number; since: Date; now: Date },
): Promise<Change> {
  const from = after(since, -marginMs)
  const rows = await readPossiblyChanged(db, [{ clientId, position: Number.MAX_SAFE_INTEGER }])
  const created = rows.filter(({ createdAt }) => createdAt >= from)
  const isOpenOrEnded = ({ completedAt }: Transaction) =>
    completedAt === null || completedAt >= from
  const moved = rows.filter((row) => !created.includes(row) && isOpenOrEnded(row))
  return { at: now, created, moved, isPartial: created.length >= newestMax }
}

/** Tells of the clients whose mark has moved. */
async function compareClients(
  db: Db,
  clients: Map<number, WatchedClient>,
  at: Date,
): Promise<void> {
  const marks = await readClientMarks(db, [...clients.keys()])
  const moved = marks.filter((mark) => clients.get(mark.clientId)?.mark?.mark !== mark.mark)
  if (moved.length === 0) return
  const seen = moved.map(({ clientId, position }) => ({
    clientId,
    position: clients.get(clientId)?.mark?.position ?? position,
  }))
  const rows = Map.groupBy(await readPossiblyChanged(db, seen), (row) => row.clientId)
  for (const mark of moved) {
    const watched = clients.get(mark.clientId)
    if (watched === undefined) continue
    const change = changeOf(watched, rows.get(mark.clientId) ?? [], at)
    const isFirst = watched.mark === undefined
    watched.mark = mark
    if (!isFirst) for (const tell of watched.listeners) tell(change)
  }
}

/** Tells of the transactions whose mark has moved. */
async function compareOnes(db: Db, ones: Map<string, WatchedOne>): Promise<void> {
  const marks = await readTransactionMarks(
    db,
    [...ones.values()].map(({ id }) => id),
  )
  for (const [id, watched] of ones) {
    const mark = marks.get(id)
    const isMoved = watched.mark !== undefined && watched.mark !== mark
    watched.mark = mark
    if (isMoved) for (const tell of watched.listeners) tell()
  }
}

function unwatched(): WatchedClient {
  return { mark: undefined, states: new Map(), newest: '', listeners: new Set() }
}

/** Compares rows with those of the round before, and keeps them for the next one. */
function changeOf(watched: WatchedClient, rows: Transaction[], at: Date): Change {
  const { states, newest } = watched
  // An id is made before its commit: one that is lower than the newest may become visible later.
  const recent = after(at, -lateCommitMs)
  const isCreated = ({ id, createdAt }: Transaction) =>
    id > newest || (!states.has(id) && createdAt > recent)
  const created = rows.filter(isCreated)
  const moved = rows.filter((row) => !isCreated(row) && states.get(row.id) !== row.status)
  watched.states = new Map(rows.map(({ id, status }) => [id, status]))
  watched.newest = rows.at(-1)?.id ?? newest
  return { at, created, moved, isPartial: created.length >= newestMax }
}
