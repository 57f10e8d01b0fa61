import type { Tx } from '../kit/db.ts'
import type { Draft, Recorded } from '../transactions/intents.ts'
import { recordIntents } from '../transactions/intents.ts'
import { findByExternalIds } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { claimBills, releaseBills } from './store.ts'

/** The intent to pay a bill, or to top up a meter. */
export interface BillDraft extends Draft {
  /** The customer as the biller writes it: the same for everybody who pays for it. */
  account: string
}

/** What became of it: `taken` when somebody else pays, or has paid, the bill. */
export type BillRecorded = Recorded | { kind: 'taken' }

/**
 * Records intents to pay bills, holds their money and claims their bills: together or not at all.
 * A bill has one payer at most, across all clients, until that payment is proven to have failed.
 */
export async function recordBillPayments(
  tx: Tx,
  drafts: BillDraft[],
  now: Date,
): Promise<BillRecorded[]> {
  const claims = drafts.flatMap(({ account, transaction }) => {
    const { clientId, id: transactionId, serviceCode, billReference } = transaction
    return billReference === null
      ? []
      : [{ clientId, transactionId, serviceCode, account, billReference }]
  })
  const claimed = claims.length === 0 ? new Set<string>() : await claimBills(tx, claims)
  const isFree = ({ transaction: { id, billReference } }: BillDraft) =>
    billReference === null || claimed.has(id)
  const free = drafts.filter(isFree)
  const recorded = free.length === 0 ? [] : await recordIntents(tx, free, now)
  const answers = new Map(free.map(({ transaction: { id } }, index) => [id, recorded[index]]))
  const unused = claims.filter(({ transactionId: id }) => {
    const answer = answers.get(id)
    return answer !== undefined && answer.kind !== 'recorded'
  })
  if (unused.length > 0) await releaseBills(tx, unused)
  return Promise.all(
    drafts.map(async (one) => answers.get(one.transaction.id) ?? (await takenBy(tx, one))),
  )
}

/** A bill that is taken: by the very same request, when it was sent twice. */
async function takenBy(tx: Tx, { intent: { clientId, externalId } }: BillDraft) {
  if (externalId === null) return { kind: 'taken' } as const
  const [existing] = await findByExternalIds(tx, [{ clientId, externalId }])
  return existing === undefined
    ? ({ kind: 'taken' } as const)
    : ({ kind: 'duplicate', existing } as const)
}

/** Frees the bills of payments that have failed, in the transaction that ends them. */
export async function freeBills(tx: Tx, ended: Transaction[]): Promise<void> {
  const failed = ended.filter(
    ({ billReference, status }) => billReference !== null && status === 'FAILED',
  )
  if (failed.length === 0) return
  await releaseBills(
    tx,
    failed.map(({ clientId, id: transactionId }) => ({ clientId, transactionId })),
  )
}
