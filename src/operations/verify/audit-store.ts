import { auditDigest } from '#data/db/audit-chain.ts'
import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

interface Row {
  where: string
  what: string
}

/**
 * Records of the audit log that were changed, deleted, added or reordered by other means than the
 * gateway's. Records that wait to be linked are no break.
 */
export async function findAuditBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(db, async (tx) => [
    ...(await tx<Row>`
      select format('record %s', id) as where, 'its content differs from its digest' as what
      from audit_log
      where digest is distinct from ${auditDigest}
      order by id
      limit 100`),
    ...(await tx<Row>`
      with links as (
        select number, entry_id, hash, lag(number, 1, 0::bigint) over chain as before,
          lag(hash, 1, decode(repeat('00', 32), 'hex')) over chain as previous
        from audit_chain
        window chain as (order by number)
      )
      select format('link %s of the chain', l.number) as where, what
      from links l
      left join audit_log a on a.id = l.entry_id
      cross join lateral (values
        (l.number <> l.before + 1, format('follows %s', l.before)),
        (a.id is null, format('record %s is gone', l.entry_id)),
        (a.id is not null and l.hash is distinct from sha256(
          l.previous || int8send(l.number) || int8send(l.entry_id) || a.digest),
          'its hash does not follow')
      ) as checks (is_broken, what)
      where is_broken
      order by l.number
      limit 100`),
    ...(await tx<Row>`
      select format('record %s', coalesce(a.id, q.entry_id)) as where,
        case when a.id is null then 'is gone, and was not linked yet'
          when q.entry_id is null then 'is in no chain'
          else 'is in the chain, and waits for it' end as what
      from audit_log a
      left join audit_chain c on c.entry_id = a.id
      full join audit_queue q on q.entry_id = a.id
      where a.id is null or (c.entry_id is null) = (q.entry_id is null)
      order by 1
      limit 100`),
    ...(await tx<Row>`
      select 'the chain' as where,
        format('ends at %s, its head says %s', coalesce(last.number, 0), h.number) as what
      from (select 1) one
      left join audit_head h on true
      left join lateral (
        select number, hash from audit_chain order by number desc limit 1
      ) last on true
      where (coalesce(last.number, 0), coalesce(last.hash, decode(repeat('00', 32), 'hex')))
        is distinct from (h.number, h.hash)`),
  ])
  return rows.map((row) => ({ promise: 'audit', clientId: null, ...row }))
}
