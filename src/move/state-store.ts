import type { Db, Tx } from '../db/db.ts'
import { json } from '../db/db.ts'

export type OutState = 'copying' | 'draining' | 'frozen' | 'moved' | 'undone'
export type InState = 'arriving' | 'ready' | 'active' | 'undoing' | 'undone'

export interface Move<State> {
  clientId: number
  id: string
  state: State
  peerUrl: string
  leaseUntil: Date | null
  cutAt: Date | null
  /** The key of the last row that was copied, by table; `true`: the table is copied. */
  progress: Record<string, string | true>
  begunAt: Date
  endedAt: Date | null
}

export interface MoveOut extends Move<OutState> {}
export interface MoveIn extends Move<InState> {}

export function findMove(
  run: Db | Tx,
  clientId: number,
  direction: 'out',
): Promise<MoveOut | undefined>
export function findMove(
  run: Db | Tx,
  clientId: number,
  direction: 'in',
): Promise<MoveIn | undefined>
export async function findMove(run: Db | Tx, clientId: number, direction: string) {
  const [move] = await run<Move<never>>`
    select client_id as "clientId", id, state, peer_url as "peerUrl", lease_until as "leaseUntil",
      cut_at as "cutAt", progress, begun_at as "begunAt", ended_at as "endedAt"
    from client_moves where client_id = ${clientId} and direction = ${direction}`
  return move
}

interface Beginning {
  clientId: number
  direction: 'out' | 'in'
  id: string
  state: OutState | InState
  peerUrl: string
  now: Date
}

/** Begins a move; one that was undone before is forgotten. */
export async function insertMove(run: Db | Tx, move: Beginning): Promise<boolean> {
  const rows = await run`
    insert into client_moves as m (
      client_id, direction, id, state, peer_url, begun_at, changed_at)
    values (${move.clientId}, ${move.direction}, ${move.id}, ${move.state}, ${move.peerUrl},
      ${move.now}, ${move.now})
    on conflict (client_id, direction) do update
    set id = excluded.id, state = excluded.state, peer_url = excluded.peer_url, progress = '{}',
      begun_at = excluded.begun_at, changed_at = excluded.changed_at, lease_until = null,
      cut_at = null, ended_at = null, sealed_callback_key = null
    where m.state = 'undone'
    returning 1`
  return rows.length === 1
}

/** Sets the state of a move that is in one of the states given; false: it is not. */
export async function changeState(
  run: Db | Tx,
  { clientId, id, from, to }: { clientId: number; id: string; from: string[]; to: string },
): Promise<boolean> {
  const rows = await run`
    update client_moves set state = ${to}, changed_at = clock_timestamp(),
      ended_at = case when ${to}::text in ('undone', 'active') then clock_timestamp() end
    where client_id = ${clientId} and id = ${id} and state = any(${from}::text[])
    returning 1`
  return rows.length === 1
}

export async function saveProgress(
  run: Db | Tx,
  { clientId, id }: { clientId: number; id: string },
  progress: Move<never>['progress'],
): Promise<void> {
  await run`
    update client_moves set progress = ${json(progress)}, changed_at = clock_timestamp()
    where client_id = ${clientId} and id = ${id}`
}

/** Moves that are decided and not completed: the other cell may not know of the decision. */
export function readDecided(db: Db): Promise<{ clientId: number; id: string; peerUrl: string }[]> {
  return db`
    select client_id as "clientId", id, peer_url as "peerUrl" from client_moves
    where direction = 'out' and state = 'moved' and ended_at is null`
}

/** Clients whose changes are watched: those that move away, and those that have. */
export async function readWatched(run: Db | Tx): Promise<number[]> {
  const rows = await run<{ id: number }>`
    select client_id as id from client_moves
    where direction = 'out' and state <> 'undone' order by 1`
  return rows.map(({ id }) => id)
}
