import type { Tx } from './db.ts'
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
