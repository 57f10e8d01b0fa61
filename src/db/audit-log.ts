import type { Db, Tx } from './db.ts'
import { json } from './db.ts'

interface AuditRecord {
  at: Date
  /** An operator's login, or the account of the terminal where the command was typed. */
  actor: string
  action: string
  clientId?: number
  details?: Record<string, unknown>
}

/** Records what an operator did, in the same transaction as the change itself. */
export async function recordAudit(tx: Tx, record: AuditRecord): Promise<void> {
  await tx`
    insert into audit_log (at, actor, action, client_id, details)
    values (${record.at}, ${record.actor}, ${record.action}, ${record.clientId ?? null},
      ${json(record.details ?? {})})`
}

export interface AuditRow extends Required<Omit<AuditRecord, 'clientId'>> {
  id: number
  clientId: number | null
}

export interface AuditFilter {
  clientId: number
  before: number | null
  limit: number
  /** A person or program, in any case; null: all. */
  actor: string | null
  /** The first word of actions, such as team; null: all. */
  group: string | null
  from: Date | null
  until: Date | null
}

/** Records of one client, newest first. */
export function readClientAudit(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { clientId, before, limit, actor, group, from, until } = filter
  return db<AuditRow>`
    select id, at, actor, action, client_id as "clientId", details
    from audit_log
    where client_id = ${clientId} and id < coalesce(${before}, 9223372036854775807)
      and (${actor}::text is null or lower(actor) = lower(${actor}))
      and (${group}::text is null or split_part(action, '.', 1) = ${group})
      and (${from}::timestamptz is null or at >= ${from})
      and (${until}::timestamptz is null or at < ${until})
    order by id desc
    limit ${limit}`
}

/** The last records, newest first, of one client or of all, before a record if one is given. */
export function readAudit(
  db: Db,
  { clientId, before, limit }: { clientId: number | null; before: number | null; limit: number },
): Promise<AuditRow[]> {
  return db<AuditRow>`
    select id, at, actor, action, client_id as "clientId", details
    from audit_log
    where id < coalesce(${before}, 9223372036854775807)
      and (${clientId}::integer is null or client_id = ${clientId})
    order by id desc
    limit ${limit}`
}
