import { withClient } from '../db/client.ts'
import type { Db, Tx } from '../db/db.ts'

/** Why a client cannot come here. */
export interface Obstacles {
  isIdTaken: boolean
  isNameTaken: boolean
  hasMovedAway: boolean
}

export async function findObstacles(db: Db, clientId: number, name: string): Promise<Obstacles> {
  const [found] = await db<Obstacles>`
    select exists (select from clients where id = ${clientId})
        or exists (select from ledger_postings where client_id = ${clientId}) as "isIdTaken",
      exists (select from clients where name = ${name} and id <> ${clientId}) as "isNameTaken",
      exists (select from client_moves
        where client_id = ${clientId} and direction = 'out' and state = 'moved')
        as "hasMovedAway"`
  return found ?? { isIdTaken: true, isNameTaken: true, hasMovedAway: true }
}

/**
 * Lets numbers of evidence go on behind those of the old cell, so that later ones are larger, and
 * numbers of clients behind the one that comes.
 */
export async function raiseSequences(
  db: Db,
  { lastEvidence, clientId }: { lastEvidence: number; clientId: number },
): Promise<void> {
  // As the owner: the application may not set a sequence.
  await withClient({ url: db.access.url }, async (owner) => {
    for (const [table, last] of [
      ['evidence', lastEvidence],
      ['clients', clientId],
    ])
      await owner.query(
        `select setval(s.name, $1::bigint)
         from (select pg_get_serial_sequence($2, 'id')::regclass as name) s
         where $1::bigint > coalesce(pg_sequence_last_value(s.name), 0)`,
        [last, table],
      )
  })
}

interface Arrival {
  clientId: number
  cutAt: Date
  sealedCallbackKey: Buffer
  /** The ids of people who were not here before, as JSON. */
  added: string
}

/** Everything has arrived. A second preparation keeps the people that the first one has added. */
export async function keepArrival(tx: Tx, one: Arrival): Promise<void> {
  await tx`
    update client_moves set state = 'ready', cut_at = ${one.cutAt},
      sealed_callback_key = ${one.sealedCallbackKey}, changed_at = clock_timestamp(),
      progress = jsonb_build_object('added',
        coalesce(progress -> 'added', '[]'::jsonb) || ${one.added}::jsonb)
    where client_id = ${one.clientId} and direction = 'in'`
}

/** The key of the callback addresses that a client had in the cell that it came from. */
export async function findCallbackKey(db: Db, clientId: number): Promise<Buffer | undefined> {
  const [row] = await db<{ key: Buffer | null }>`
    select sealed_callback_key as key from client_moves
    where client_id = ${clientId} and direction = 'in' and state = 'active'`
  return row?.key ?? undefined
}
