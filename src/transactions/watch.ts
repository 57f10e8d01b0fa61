import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { TransactionId } from './transaction.ts'
import type { ClientMark, Standing } from './watch-store.ts'
import {
  newestMax,
  readClientMarks,
  readListed,
  readNewest,
  readPossiblyChanged,
  readTransactionMarks,
} from './watch-store.ts'

/** What has changed of a client since the round before; without ids: only its balance. */
export interface Change {
  clientId: number
  /** When the round began: whatever is committed later is in another one. */
  at: Date
  /** The ids of those created since, oldest first. */
  created: string[]
  /** The ids of those in another state than before. */
  moved: string[]
  /** More was created than one round looks at: a list must be read again. */
  isPartial: boolean
}

/** The clients that one listener is told of. */
export interface FollowedClients {
  add(clientId: number): void
  remove(clientId: number): void
  /** Tells of a client in the next round, whether or not it changes. */
  remind(clientId: number): void
}

interface Follower {
  clients: Set<number>
  /** Clients to tell of in any case. */
  due: Set<number>
  tell(changes: Change[]): Promise<void>
}

interface WatchedClient {
  /** Undefined until its first round. */
  mark: ClientMark | undefined
  /** A time before which nobody followed it. */
  since: Date
  /** The states of those that were compared last, by id. */
  states: Map<string, string>
  newest: string
}

interface WatchedOne {
  id: TransactionId
  mark: string | undefined
  listeners: Set<() => void>
}

// With the time that a round takes, a change is shown within two seconds.
const roundMs = 1500
// Clocks of processes may differ a little, and a row is visible a moment after its time.
const marginMs = 2000
const lateCommitMs = 30_000

/**
 * Tells of new and changed transactions, whichever process changed them. In each round it compares
 * the marks of all watched clients by one statement, and looks further only at clients that moved.
 * A round ends when all listeners have read and sent what they want: statements follow each other,
 * whatever the load. While nobody watches it does nothing.
 */
export function openTransactionWatch({ db, clock, log }: { db: Db; clock: Clock; log: Log }) {
  const clients = new Map<number, WatchedClient>()
  const followers = new Set<Follower>()
  const ones = new Map<string, WatchedOne>()
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let lastRoundAt = clock.now()

  async function round(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      const at = clock.now()
      watchFollowed(clients, followers, lastRoundAt)
      if (clients.size > 0) await tellAll(followers, await compareClients(db, clients, at), at)
      if (ones.size > 0) await compareOnes(db, ones)
      lastRoundAt = at
    } catch (problem) {
      // The next round tells of all that may have changed since the last one that was whole.
      clients.clear()
      log.warn({ err: problem }, 'transactions could not be watched for a moment')
    } finally {
      isRunning = false
    }
  }

  function begin(): void {
    if (timer !== undefined) return
    lastRoundAt = clock.now()
    timer = setInterval(() => void round(), roundMs).unref()
  }

  function endIfUnwatched(): void {
    if (ones.size > 0 || [...followers].some((one) => one.clients.size > 0)) return
    clearInterval(timer)
    timer = undefined
    clients.clear()
  }

  return {
    /** Calls with the changes of each round, of the clients that were added. */
    followClients(tell: (changes: Change[]) => Promise<void>): FollowedClients {
      const follower: Follower = { clients: new Set(), due: new Set(), tell }
      followers.add(follower)
      return clientsOf(follower, begin, endIfUnwatched)
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
    ...openReads(db, clock),
  }
}

function clientsOf(
  { clients, due }: Follower,
  onAdded: () => void,
  onRemoved: () => void,
): FollowedClients {
  return {
    add: (clientId) => {
      clients.add(clientId)
      onAdded()
    },
    remind: (clientId) => {
      if (clients.has(clientId)) due.add(clientId)
    },
    remove: (clientId) => {
      clients.delete(clientId)
      due.delete(clientId)
      onRemoved()
    },
  }
}

function openReads(db: Db, clock: Clock) {
  return {
    /** The mark of a transaction, to be read before the transaction. */
    markOf: async (id: TransactionId) => (await readTransactionMarks(db, [id])).get(id.id) ?? '',
    /** What may have changed since a time, for a page that was shown then. */
    changedSince: (clientId: number, since: Date) =>
      readChangedSince(db, { clientId, since, now: clock.now() }),
    /** What lists show of transactions, oldest first. */
    listed: (ids: TransactionId[]) => readListed(db, ids),
    /** The newest transactions of each client, newest first. */
    newest: async (clientIds: number[], limit: number) =>
      Map.groupBy(await readNewest(db, clientIds, limit), ({ clientId }) => clientId),
  }
}

/** Tells each listener of the changes of its clients, and of those that it was reminded of. */
async function tellAll(followers: Set<Follower>, changes: Change[], at: Date): Promise<void> {
  for (const { clients, due, tell } of followers) {
    const own = changes.filter(({ clientId }) => clients.has(clientId))
    for (const { clientId } of own) due.delete(clientId)
    const others = [...due].map((clientId) => unchanged(clientId, at))
    due.clear()
    if (own.length + others.length > 0) await tell([...own, ...others])
  }
}

async function readChangedSince(
  db: Db,
  { clientId, since, now }: { clientId: number; since: Date; now: Date },
): Promise<Change> {
  const rows = await readPossiblyChanged(db, [{ clientId, position: 0 }])
  return changeSince(since, { clientId, at: now }, rows)
}

/** What may have changed since a time, of rows whose states before are not known. */
function changeSince(since: Date, round: Round, rows: Standing[]): Change {
  const from = after(since, -marginMs)
  const isCreated = ({ createdAt }: Standing) => createdAt >= from
  const isMoved = ({ completedAt }: Standing) => completedAt === null || completedAt >= from
  return changeOf(round, rows, isCreated, isMoved)
}

/** Begins to watch the clients that are followed by now, and forgets those that are not. */
function watchFollowed(
  clients: Map<number, WatchedClient>,
  followers: Set<Follower>,
  since: Date,
): void {
  const followed = new Set([...followers].flatMap((one) => [...one.clients]))
  for (const id of clients.keys()) if (!followed.has(id)) clients.delete(id)
  for (const id of followed)
    if (!clients.has(id)) clients.set(id, { mark: undefined, since, states: new Map(), newest: '' })
}

/** The changes of the clients whose mark has moved. */
async function compareClients(
  db: Db,
  clients: Map<number, WatchedClient>,
  at: Date,
): Promise<Change[]> {
  const marks = await readClientMarks(db, [...clients.keys()])
  const moved = marks.filter((mark) => clients.get(mark.clientId)?.mark?.mark !== mark.mark)
  if (moved.length === 0) return []
  const seen = moved.map(({ clientId }) => ({
    clientId,
    position: clients.get(clientId)?.mark?.position ?? 0,
  }))
  const rows = Map.groupBy(await readPossiblyChanged(db, seen), (row) => row.clientId)
  return moved.flatMap((mark) => {
    const watched = clients.get(mark.clientId)
    if (watched === undefined) return []
    const change = compare(watched, rows.get(mark.clientId) ?? [], { ...mark, at })
    watched.mark = mark
    return [change]
  })
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

function unchanged(clientId: number, at: Date): Change {
  return { clientId, at, created: [], moved: [], isPartial: false }
}

type Round = Pick<Change, 'clientId' | 'at'>

/** Compares rows with those of the round before, and keeps them for the next one. */
function compare(watched: WatchedClient, rows: Standing[], { clientId, at }: Round): Change {
  const { states, newest, mark, since } = watched
  // An id is made before its commit: one that is lower than the newest may become visible later.
  const recent = after(at, -lateCommitMs)
  const isCreated = ({ id, createdAt }: Standing) =>
    id > newest || (!states.has(id) && createdAt > recent)
  const isMoved = ({ id, status }: Standing) => states.get(id) !== status
  watched.states = new Map(rows.map(({ id, status }) => [id, status]))
  watched.newest = rows.at(-1)?.id ?? newest
  if (mark === undefined) return changeSince(since, { clientId, at }, rows)
  return changeOf({ clientId, at }, rows, isCreated, isMoved)
}

function changeOf(
  round: Round,
  rows: Standing[],
  isCreated: (row: Standing) => boolean,
  isMoved: (row: Standing) => boolean,
): Change {
  const created = rows.filter(isCreated).map(({ id }) => id)
  const moved = rows.filter((row) => !isCreated(row) && isMoved(row)).map(({ id }) => id)
  return { ...round, created, moved, isPartial: created.length >= newestMax }
}
