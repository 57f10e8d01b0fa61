import type pg from 'pg'
import type { Db, Tx } from '../db/db.ts'
import { sqlStateOf } from '../db/errors.ts'
import type { TableShape } from './shape-store.ts'

const lockNotAvailable = '55P03'
const triesMax = 6

/** A row that was changed since it was copied. */
export interface Change {
  id: number
  relation: string
  /** Its key, as JSON. */
  key: string
}

/**
 * Makes every change of these clients' rows be noted, or refused once a client is frozen or gone.
 * Each trigger names the clients: for all others a write costs one comparison, and nothing at all
 * while no client moves. A trigger waits for the writes of its table that are under way, so from
 * then on none goes unnoticed.
 */
export async function watchClients(
  owner: pg.Client,
  shapes: Map<string, TableShape>,
  clientIds: number[],
): Promise<void> {
  await owner.query("set lock_timeout = '5s'")
  for (const shape of shapes.values())
    for (let tries = 1; ; tries += 1)
      try {
        await watchTable(owner, shape, clientIds)
        break
      } catch (problem) {
        // Somebody has held the table for long: nothing is lost by asking again.
        if (sqlStateOf(problem) !== lockNotAvailable || tries === triesMax) throw problem
      }
}

async function watchTable(owner: pg.Client, shape: TableShape, clientIds: number[]) {
  const { name, client, sealed, isPerishable, key, watched } = shape
  if (clientIds.length === 0) {
    await owner.query(
      `drop trigger if exists move_changes on ${name};
       drop trigger if exists move_deletions on ${name}`,
    )
    return
  }
  const of = watched === undefined ? '' : `of ${watched.join(', ')}`
  const words = [client, isPerishable ? 'perishable' : '', sealed?.column ?? '', ...key]
  const call = `execute function note_move_change(${words.map((one) => `'${one}'`).join(', ')})`
  const ids = `'{${clientIds.join(',')}}'::integer[]`
  await owner.query(
    `create or replace trigger move_changes after insert or update ${of} on ${name}
       for each row when (new.${client} = any(${ids})) ${call};
     create or replace trigger move_deletions after delete on ${name}
       for each row when (old.${client} = any(${ids})) ${call}`,
  )
}

/** The next changes that are noted of a client, after the one with a number. */
export function readChanges(
  run: Db | Tx,
  { clientId, after, limit }: { clientId: number; after: number; limit: number },
): Promise<Change[]> {
  return run<Change>`
    select id, relation, key::text as key from move_changes
    where client_id = ${clientId} and id > ${after} order by id limit ${limit}`
}

/** How many changes of a client are noted. */
export async function countChanges(run: Db | Tx, clientId: number): Promise<number> {
  const [row] = await run<{ count: number }>`
    select count(*)::integer as count from move_changes where client_id = ${clientId}`
  return row?.count ?? 0
}

/** Forgets changes that were copied. */
export async function deleteChanges(run: Db | Tx, ids: number[]): Promise<void> {
  await run`delete from move_changes where id = any(${ids}::bigint[])`
}

export async function deleteAllChanges(run: Db | Tx, clientId: number): Promise<void> {
  await run`delete from move_changes where client_id = ${clientId}`
}
