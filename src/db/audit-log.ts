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
