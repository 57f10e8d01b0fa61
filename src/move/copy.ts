import type { Db, Tx } from '../db/db.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { deleteChanges, readChanges } from './capture-store.ts'
import type { Peer } from './peer.ts'
import { resealRows } from './reseal.ts'
import { readPage, readRows } from './row-store.ts'
import type { TableShape } from './shape-store.ts'
import type { MoveOut } from './state-store.ts'
import { saveProgress } from './state-store.ts'
import type { JsonRow } from './tables.ts'

export interface CopyParts {
  db: Db
  secretKey: SecretKey
  transitKey: SecretKey
  peer: Peer
  shapes: Map<string, TableShape>
  move: MoveOut
  throwIfStopped(): void
  report(sentence: string): void
}

const pageRows = 4000
const changesAtOnce = 5000

/** The keys of rows that were copied again, by table. */
export type CopiedKeys = Map<string, Set<string>>

/** Copies rows of a client to the other cell. Whatever is copied twice is there once. */
export function openCopy(parts: CopyParts) {
  const { db, shapes, move } = parts
  return {
    /** Copies the tables that can be copied while the client works, from where it had come. */
    copyTables: async (): Promise<void> => {
      for (const shape of shapes.values()) {
        if (shape.when === 'last') continue
        const rows = await copyTable(parts, shape)
        if (rows > 0) parts.report(`${shape.name}: ${rows} rows copied`)
      }
    },
    /** Copies what has changed since; returns how many changes there were, and adds their keys. */
    catchUp: async (run: Db | Tx, copied: CopiedKeys): Promise<number> => {
      const { clientId } = move
      for (let count = 0, after = 0; ; ) {
        parts.throwIfStopped()
        const changes = await readChanges(run, { clientId, after, limit: changesAtOnce })
        const keys: CopiedKeys = new Map()
        for (const { relation, key } of changes) {
          addKey(keys, relation, key)
          addKey(copied, relation, key)
        }
        await copyChanges(parts, run, keys)
        const ids = changes.map(({ id }) => id)
        if (ids.length > 0) await deleteChanges(db, ids)
        count += ids.length
        after = ids.at(-1) ?? after
        if (ids.length < changesAtOnce) return count
      }
    },
  }
}

/** Sends rows; those that they refer to are sent before, when the other cell lacks them. */
async function send(
  parts: CopyParts,
  run: Db | Tx,
  shape: TableShape,
  rows: string[],
): Promise<void> {
  const { peer, shapes, move } = parts
  const lines = resealRows(shape.sealed, rows, { from: parts.secretKey, to: parts.transitKey })
  const asked = { clientId: move.clientId, table: shape.name }
  const { lacksParents } = await peer.ask('rows', asked, lines)
  if (!lacksParents) return
  for (const { table, columns } of shape.parents ?? []) {
    const parent = shapes.get(table)
    if (parent === undefined) throw new Error(`no table ${table}`)
    const keys = rows.map((row) => parentKey(parent, columns, JSON.parse(row) as JsonRow))
    const named = keys.filter((key) => key !== undefined)
    if (named.length > 0) await send(parts, run, parent, await readRows(run, parent, listOf(named)))
  }
  const again = await peer.ask('rows', asked, lines)
  if (again.lacksParents) throw new Error(`rows of ${shape.name} refer to rows that are missing`)
}

/** Copies a table from where it had come; returns how many rows that were. */
async function copyTable(parts: CopyParts, shape: TableShape): Promise<number> {
  const { db, move } = parts
  const { clientId, progress } = move
  const place = progress[shape.name]
  if (place === true) return 0
  let copied = 0
  const read = (after: string | null) => readPage(db, shape, { clientId, after, limit: pageRows })
  for (let next = read(place ?? null); ; ) {
    parts.throwIfStopped()
    const { rows, last } = await next
    const isLast = rows.length < pageRows || last === null
    if (!isLast) {
      // Read while the other cell writes: what changes since is noted, and copied again.
      next = read(last)
      next.catch(() => {})
    }
    if (rows.length > 0) await send(parts, db, shape, rows)
    copied += rows.length
    progress[shape.name] = isLast ? true : last
    await saveProgress(db, move, progress)
    if (isLast) return copied
  }
}

/** Copies the rows that these changes are about, as they are now for `run`. */
async function copyChanges(parts: CopyParts, run: Db | Tx, keysByTable: CopiedKeys): Promise<void> {
  const { peer, shapes, move } = parts
  for (const shape of shapes.values()) {
    const keys = [...(keysByTable.get(shape.name) ?? [])]
    if (shape.when === 'last' || keys.length === 0) continue
    const rows = await readRows(run, shape, listOf(keys))
    const found = new Set(rows.map((row) => keyOf(shape, JSON.parse(row) as JsonRow)))
    const gone = keys.filter((key) => !found.has(keyOf(shape, JSON.parse(key) as JsonRow)))
    const asked = { clientId: move.clientId, table: shape.name }
    if (gone.length > 0) await peer.ask('deletions', asked, gone)
    if (rows.length > 0) await send(parts, run, shape, rows)
  }
}

function addKey(keys: CopiedKeys, table: string, key: string): void {
  keys.set(table, (keys.get(table) ?? new Set()).add(key))
}

const listOf = (texts: string[]) => `[${texts.join(',')}]`

function keyOf({ key }: TableShape, row: JsonRow): string {
  return JSON.stringify(key.map((name) => row[name]))
}

/** The key of a row that another one refers to, as JSON; undefined: it refers to none. */
function parentKey(
  { client }: TableShape,
  columns: Record<string, string>,
  row: JsonRow,
): string | undefined {
  const key = Object.entries(columns).map(([name, from]) => [name, row[from]])
  if (key.some(([, value]) => value === null || value === undefined)) return undefined
  return JSON.stringify({ [client]: row.client_id, ...Object.fromEntries(key) })
}
