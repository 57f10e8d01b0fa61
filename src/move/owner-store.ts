import type pg from 'pg'

/** The last number that evidence was given here. */
export async function readLastEvidence(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(
    `select coalesce(pg_sequence_last_value(
       pg_get_serial_sequence('evidence', 'id')::regclass), 0)::text as last`,
  )
  return Number(rows[0].last)
}

// The class of the session locks of those who move clients.
const moverLock = 7_270_085

/** Makes this session the only one that moves a client; false: another one does. */
export async function lockMover(owner: pg.Client, clientId: number): Promise<boolean> {
  const { rows } = await owner.query('select pg_try_advisory_lock($1, $2) as "isMine"', [
    moverLock,
    clientId,
  ])
  return rows[0].isMine === true
}
