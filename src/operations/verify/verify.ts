/*
 * Checks what the database holds. To read the room: `ledger.ts` checks all postings, `chains.ts`
 * and `anchors.ts` the hashes over them. The other checks are one or two statements each. All SQL
 * is in the `*-store.ts` files.
 */
import type { Db } from '#data/db/db.ts'
import { compareAnchors } from './anchors.ts'
import { findApprovalBreaks } from './approvals-store.ts'
import { findAuditBreaks } from './audit-store.ts'
import { findBatchBreaks } from './batches-store.ts'
import { findBillBreaks } from './bills-store.ts'
import { findEventBreaks } from './events-store.ts'
import { type Verdict, verifyLedger } from './ledger.ts'
import { findLimitBreaks } from './limits-store.ts'
import { findLinkBreaks } from './links-store.ts'
import { findReconBreaks } from './recon-store.ts'
import { findSummaryBreaks } from './summaries-store.ts'
import { findTransactionBreaks } from './transactions-store.ts'

/** An anchor that was kept outside the database. */
export interface KeptAnchor {
  number: number
  hash: string
}

/** Runs every check on the database, and compares its anchors with those kept elsewhere. */
export async function verifyAll(
  db: Db,
  kept: KeptAnchor[],
  progress: (done: number, total: number) => void,
): Promise<Verdict> {
  // In parallel: the ledger's check is limited by this process, the others by PostgreSQL.
  const [verdict, ...others] = await Promise.all([
    verifyLedger(db, progress),
    compareAnchors(db, kept),
    findTransactionBreaks(db),
    findBillBreaks(db),
    findLinkBreaks(db),
    findBatchBreaks(db),
    findEventBreaks(db),
    findSummaryBreaks(db),
    findAuditBreaks(db),
    findApprovalBreaks(db),
    findLimitBreaks(db),
    findReconBreaks(db),
  ])
  return { ...verdict, breaks: [...verdict.breaks, ...others.flat()] }
}
