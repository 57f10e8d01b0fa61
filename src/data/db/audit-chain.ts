import { type Db, fragment, type Tx } from './db.ts'

/**
 * The digest of a record, over columns of audit_log. Part of the stored format: a record's digest
 * never changes, and neither does the text that it is computed from.
 */
export const auditDigest = fragment`sha256(convert_to(jsonb_build_array(
  to_char(timezone('UTC', at), 'YYYY-MM-DD"T"HH24:MI:SS.US'), actor, address, action, client_id,
  details)::text, 'UTF8'))`

/** The end of the chain: how many records it has, and the hash of the last. */
export interface AuditHead {
  number: number
  hash: string
}

// A record waits about a second. After an outage of the worker the rest follows at once.
const linkedAtOnce = 500

/**
 * Appends the records that wait to the chain, in the order of their ids, and returns how many. Does
 * nothing while another process does it.
 */
export async function closeAuditChain(db: Db): Promise<number> {
  let linked = 0
  for (;;) {
    const [waiting] = await db`select 1 from audit_queue limit 1`
    if (waiting === undefined) return linked
    const count = await db.transaction(linkWaiting)
    linked += count
    if (count < linkedAtOnce) return linked
  }
}

async function linkWaiting(tx: Tx): Promise<number> {
  const [head] = await tx`select 1 from audit_head for update skip locked`
  if (head === undefined) return 0
  // A statement of its own: it reads the head as the last holder of the lock left it.
  const [row] = await tx<{ count: number }>`
    with recursive waiting as materialized (
      select q.entry_id, a.digest, row_number() over (order by q.entry_id) as place
      from audit_queue q join audit_log a on a.id = q.entry_id
      order by q.entry_id
      limit ${linkedAtOnce}
    ), links (number, entry_id, hash, place) as (
      select number, null::bigint, hash, 0::bigint from audit_head
      union all
      select l.number + 1, w.entry_id, sha256(
          l.hash || int8send(l.number + 1) || int8send(w.entry_id) || w.digest), w.place
      from links l join waiting w on w.place = l.place + 1
    ), linked as (
      insert into audit_chain (number, entry_id, hash)
      select number, entry_id, hash from links where place > 0
      returning number, entry_id, hash
    ), taken as (
      delete from audit_queue q using linked l where q.entry_id = l.entry_id
    ), moved as (
      update audit_head set (number, hash) = (
        select number, hash from linked order by number desc limit 1)
      where exists (select from linked)
    )
    select count(*) from linked`
  return row?.count ?? 0
}

export async function readAuditHead(run: Db | Tx): Promise<AuditHead> {
  const [head] = await run<AuditHead>`
    select number, encode(hash, 'hex') as hash from audit_head`
  if (head === undefined) throw new Error('the audit log has no head')
  return head
}

/** How many records wait to be linked. */
export async function countUnlinked(db: Db): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from audit_queue`
  return row?.count ?? 0
}
