import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from '../db/db.ts'
import { longRead } from '../db/long-read.ts'
import type { Clock } from '../kit/clock.ts'
import { monotonicMs } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { keysFor, seal } from '../sealing/seal.ts'
import { countChanges, watchClients } from './capture-store.ts'
import { compareKeys, compareTables } from './compare.ts'
import { completeMove } from './complete.ts'
import type { CopiedKeys } from './copy.ts'
import { openCopy } from './copy.ts'
import { decideMove, drainClient, freezeClient, renewLease, thawClient } from './freeze-store.ts'
import { readLastEvidence } from './owner-store.ts'
import type { Peer } from './peer.ts'
import { readPeople } from './people-store.ts'
import { resealRows } from './reseal.ts'
import { readPage } from './row-store.ts'
import type { TableShape } from './shape-store.ts'
import type { MoveOut } from './state-store.ts'
import { readWatched } from './state-store.ts'
import { sealedFactor } from './tables.ts'
import type { Preparation, TableCargo } from './wire.ts'
import { callbackKeyPurpose } from './wire.ts'

export interface MoverParts {
  db: Db
  /** A connection of the owner, who may make triggers. */
  owner: pg.Client
  clock: Clock
  secretKey: SecretKey
  transitKey: SecretKey
  peer: Peer
  shapes: Map<string, TableShape>
  move: MoveOut
  throwIfStopped(): void
  report(sentence: string): void
  /** How long a freeze outlasts the command. */
  leaseMs?: number | undefined
  /** For tests: called at each step of a move. */
  onStep?(step: MoveStep): void | Promise<void>
}

/** The steps of a move, in their order. */
export type MoveStep =
  | 'watch'
  | 'copy'
  | 'catch-up'
  | 'compare'
  | 'compare-changes'
  | 'drain'
  | 'freeze'
  | 'last-copy'
  | 'prepare'
  | 'compare-last'
  | 'decide'
  | 'activate'

/** What a move came to. */
export interface Moved {
  comparedRows: number
  frozenMs: number
}

const usualLeaseMs = 15_000
const leasesMax = 4
const drainMsMax = 3000
const quietMs = 150
const roundsMax = 200
const fewChanges = 200

/**
 * Moves a client: copies it while it works, freezes it for the last differences, and lets the other
 * cell have it. Before the decision a failure leaves the client at work here; after it, the move
 * can only be completed.
 */
export async function moveClient(parts: MoverParts): Promise<Moved> {
  const { db, owner, shapes, report } = parts
  const step = async (name: MoveStep) => {
    parts.throwIfStopped()
    await parts.onStep?.(name)
  }
  const copy = openCopy(parts)
  await step('watch')
  await watchClients(owner, shapes, await readWatched(db))
  await step('copy')
  await copy.copyTables()
  await step('catch-up')
  await catchUp(parts, copy)
  await step('compare')
  const early = await longRead(db, async (tx) => {
    await copy.catchUp(tx, new Map())
    return compareTables(parts, tx, 'early')
  })
  report(`${early.rows} rows are equal in both cells`)
  await step('compare-changes')
  await compareChanges(parts, copy)
  const frozen = await freezeAndDecide(parts, copy, step)
  await step('activate')
  await completeMove(parts)
  return { comparedRows: early.rows + frozen.rows, frozenMs: frozen.ms }
}

type Copy = ReturnType<typeof openCopy>

/** Copies changes round by round, until few are left. */
async function catchUp({ throwIfStopped, db, move }: MoverParts, copy: Copy): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    throwIfStopped()
    await copy.catchUp(db, new Map())
    if ((await countChanges(db, move.clientId)) < fewChanges) return
  }
  throw tooFast()
}

/**
 * Copies and compares what has changed while everything was compared, round by round, until few
 * changes are left: the comparison takes as long as the history, and the freeze must not.
 */
async function compareChanges(parts: MoverParts, copy: Copy): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    parts.throwIfStopped()
    const copied: CopiedKeys = new Map()
    const count = await longRead(parts.db, async (tx) => {
      const changes = await copy.catchUp(tx, copied)
      await compareKeys(parts, tx, copied)
      return changes
    })
    if (count < fewChanges) return
  }
  throw tooFast()
}

function tooFast(): Problem {
  return new Problem('The client changes faster than it can be copied: try again when it is quiet.')
}

/** Freezes the client, copies the rest, and decides; thaws it when anything fails before that. */
async function freezeAndDecide(
  parts: MoverParts,
  copy: Copy,
  step: (name: MoveStep) => Promise<void>,
): Promise<{ rows: number; ms: number }> {
  const { db, move, report, leaseMs = usualLeaseMs } = parts
  const copied: CopiedKeys = new Map()
  const startedMs = monotonicMs()
  const renewal = setInterval(() => {
    // Without an answer of the other cell the client works on here when the lease has ended.
    if (monotonicMs() - startedMs > leaseMs * leasesMax) return
    renewLease(db, move, leaseMs).catch(() => {})
  }, leaseMs / 5)
  let isDecided = false
  try {
    await step('drain')
    if (!(await drainClient(db, move, leaseMs))) throw new Problem('The move was undone meanwhile.')
    await drain(copy, db, copied)
    await step('freeze')
    const cutAt = await freezeClient(db, move, leaseMs)
    if (cutAt === undefined) throw new Problem('The move was undone meanwhile.')
    await step('last-copy')
    while ((await copy.catchUp(db, copied)) > 0);
    await step('prepare')
    await prepare(parts, cutAt)
    await step('compare-last')
    const changed = await compareKeys(parts, db, copied)
    const last = await compareTables(parts, db, 'last')
    await step('decide')
    isDecided = await decideMove(db, move)
    if (!isDecided)
      throw new Problem('The freeze ended before the end of the copy: the client works on here.')
    const ms = Math.round(monotonicMs() - startedMs)
    report(`frozen for ${ms} ms; the client now belongs to the other cell`)
    return { rows: changed.rows + last.rows, ms }
  } catch (problem) {
    // The answer to the decision may be lost: then it is not undone here, and `--resume` tells.
    if (!isDecided) await thawClient(db, move).catch(() => {})
    throw problem
  } finally {
    clearInterval(renewal)
  }
}

/** Copies on until nothing has changed for a moment: what had begun has ended, or takes long. */
async function drain(copy: Copy, db: Db, copied: CopiedKeys): Promise<void> {
  const endsMs = monotonicMs() + drainMsMax
  for (let quiet = 0; quiet < 2 && monotonicMs() < endsMs; ) {
    await sleep(quietMs)
    quiet = (await copy.catchUp(db, copied)) === 0 ? quiet + 1 : 0
  }
}

/** Sends the tables that are copied as a whole, and the people. */
async function prepare(parts: MoverParts, cutAt: Date): Promise<void> {
  const { db, owner, secretKey, transitKey, peer, shapes, move } = parts
  const { clientId } = move
  const resealing = { from: secretKey, to: transitKey }
  const tables: TableCargo[] = []
  for (const shape of shapes.values()) {
    if (shape.when !== 'last') continue
    const page = await readPage(db, shape, { clientId, after: null, limit: lastRowsMax })
    if (page.rows.length === lastRowsMax)
      throw new Problem(`The client has more than ${lastRowsMax} rows in ${shape.name}.`)
    tables.push({ table: shape.name, rows: resealRows(shape.sealed, page.rows, resealing) })
  }
  const people = await readPeople(db, clientId)
  const factors = resealRows(sealedFactor, people.factors, resealing)
  for (const [table, rows] of Object.entries({ ...people, factors })) tables.push({ table, rows })
  const [callbackKey] = keysFor(secretKey, 'callback addresses')
  const context = String(clientId)
  const sealed = seal(
    keysFor(transitKey, callbackKeyPurpose),
    callbackKey.toString('base64'),
    context,
  )
  const asked: Preparation = {
    clientId,
    cutAt: cutAt.toISOString(),
    lastEvidence: await readLastEvidence(owner),
    callbackKey: sealed.toString('base64'),
  }
  await peer.ask(
    'prepare',
    asked,
    tables.map((one) => JSON.stringify(one)),
  )
}

const lastRowsMax = 50_000
