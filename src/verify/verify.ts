import type { Db } from '../db/db.ts'
import { compareAnchors } from './anchors.ts'
import { findBillBreaks } from './bills-store.ts'
import { findEventBreaks } from './events-store.ts'
import type { Verdict } from './ledger.ts'
import { verifyLedger } from './ledger.ts'
import { findLinkBreaks } from './links-store.ts'
import { findTransactionBreaks } from './transactions-store.ts'

/** An anchor that was kept outside the database. */
export interface KeptAnchor {
  number: number
  hash: string
}

/** Proves everything that can be proven from the database alone, and compares kept anchors. */
export async function verifyAll(
  db: Db,
  kept: KeptAnchor[],
  progress: (done: number, total: number) => void,
): Promise<Verdict> {
  // Concurrently: what is slow about one check is rarely what is slow about the others.
  const [verdict, ...others] = await Promise.all([
    verifyLedger(db, progress),
    compareAnchors(db, kept),
    findTransactionBreaks(db),
    findBillBreaks(db),
    findLinkBreaks(db),
    findEventBreaks(db),
  ])
  return { ...verdict, breaks: [...verdict.breaks, ...others.flat()] }
}
