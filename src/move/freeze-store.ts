import type { Db } from '../db/db.ts'
import { countChanges } from './capture-store.ts'

// The class of the advisory locks of clients that move, as in the trigger's function: those who
// write to such a client's rows share its lock until they commit.
const moveLock = 7_270_084

interface MoveKey {
  clientId: number
  id: string
}

/** Lets nothing new begin for a client; what is under way may end. */
export async function drainClient(db: Db, { clientId, id }: MoveKey, leaseMs: number) {
  const rows = await db`
    update client_moves set state = 'draining', changed_at = clock_timestamp(),
      lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where client_id = ${clientId} and id = ${id} and direction = 'out'
      and state in ('copying', 'draining', 'frozen')
    returning 1`
  return rows.length === 1
}

/** Refuses every write to a client's rows from now on, after those under way have ended. */
export function freezeClient(db: Db, { clientId, id }: MoveKey, leaseMs: number) {
  return db.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${moveLock}, ${clientId})`
    const [row] = await tx<{ cutAt: Date }>`
      update client_moves set state = 'frozen',
        -- The clocks of processes may be ahead of the server's: nothing was posted after the cut.
        cut_at = greatest(clock_timestamp(), (
          select max(p.created_at) from (
            select created_at from ledger_postings
            where client_id = ${clientId} order by id desc limit 1000
          ) p)),
        changed_at = clock_timestamp(),
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      where client_id = ${clientId} and id = ${id} and direction = 'out' and state = 'draining'
      returning cut_at as "cutAt"`
    return row?.cutAt
  })
}

/** Lengthens a freeze; false: it was ended meanwhile. */
export async function renewLease(db: Db, { clientId, id }: MoveKey, leaseMs: number) {
  const rows = await db`
    update client_moves
    set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where client_id = ${clientId} and id = ${id} and direction = 'out'
      and state in ('draining', 'frozen')
    returning 1`
  return rows.length === 1
}

/** Ends a freeze before its time: the client works on here. */
export async function thawClient(db: Db, { clientId, id }: MoveKey): Promise<void> {
  await db`
    update client_moves set state = 'copying', lease_until = null, cut_at = null,
      changed_at = clock_timestamp()
    where client_id = ${clientId} and id = ${id} and direction = 'out'
      and state in ('draining', 'frozen')`
}

/**
 * The decision: the client belongs to the other cell from this commit on. Refused when the freeze
 * has ended, or when anything was written since the last copy; under the lock nothing can be.
 */
export function decideMove(db: Db, { clientId, id }: MoveKey): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${moveLock}, ${clientId})`
    if ((await countChanges(tx, clientId)) > 0) return false
    const rows = await tx`
      update client_moves set state = 'moved', changed_at = clock_timestamp()
      where client_id = ${clientId} and id = ${id} and direction = 'out' and state = 'frozen'
        and lease_until > clock_timestamp()
      returning 1`
    return rows.length === 1
  })
}

/**
 * Puts what was due for a client that is gone off for ever, so that nobody looks at it each time,
 * and lets its people leave. Done again, it changes nothing.
 */
export function finishMove(db: Db, { clientId, id }: MoveKey): Promise<void> {
  return db.transaction(async (tx) => {
    await tx`select set_config('passerelle.move', ${id}, true)`
    const never = '9999-12-31T00:00:00Z'
    await tx`
      update transactions set due_at = ${never}
      where client_id = ${clientId} and due_at is not null`
    await tx`
      update links set due_at = ${never} where client_id = ${clientId} and due_at is not null`
    await tx`
      update deliveries set due_at = ${never} where client_id = ${clientId} and due_at is not null`
    await tx`
      update batches set due_at = ${never} where client_id = ${clientId} and due_at is not null`
    await tx`
      update mails set due_at = ${never} where client_id = ${clientId} and due_at is not null`
    await tx`delete from memberships where client_id = ${clientId}`
    await tx`delete from move_changes where client_id = ${clientId}`
    await tx`
      update client_moves set ended_at = coalesce(ended_at, clock_timestamp())
      where client_id = ${clientId} and id = ${id} and direction = 'out' and state = 'moved'`
  })
}
