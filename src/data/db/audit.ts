import { countUnlinked, readAuditHead } from './audit-chain.ts'
import { type AuditFilter, type AuditRecord, readAudit, recordAudit } from './audit-log.ts'
import type { DbParts } from './db.ts'

/** The audit log as people look into it. Changes are recorded by `recordAudit`, with them. */
export type Audit = ReturnType<typeof openAudit>

/** Opens the audit log. */
export function openAudit({ db, clock }: DbParts) {
  return {
    /** Records by itself what somebody is about to do. */
    record: (record: Omit<AuditRecord, 'at'>) =>
      db.transaction((tx) => recordAudit(tx, { ...record, at: clock.now() })),
    /** Newest first. */
    list: (filter: AuditFilter) => readAudit(db, filter),
    /** Where the chain ends, and how many records wait to be added to it. */
    chain: async () => ({ ...(await readAuditHead(db)), waiting: await countUnlinked(db) }),
  }
}
