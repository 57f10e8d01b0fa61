import type { Db, Tx } from '#data/db/db.ts'
import { type Draft, type Recorded, recordIntents } from '#money/transactions/intents.ts'
import { findByExternalIds } from '#money/transactions/store.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { type BillClaim, claimBills, hasClaim, releaseBills } from './store.ts'

/** The intent to pay a bill, or to top up a meter. */
export interface BillDraft extends Draft {
  /** The customer number as the biller writes it: the same for every merchant. */
  account: string
}

/** What became of a draft; `taken`: another payment has claimed the bill. */
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
  const answers = new Map<string, BillRecorded>()
  const unaffordable = new Set<string>()
  for (let waiting = drafts; waiting.length > 0; ) {
    const unused = await recordFree(tx, waiting, now, answers)
    for (const one of unused)
      if (answers.get(one.transaction.id)?.kind === 'insufficient_funds')
        unaffordable.add(payerOf(one))
    const others = waiting.filter(({ transaction }) => !answers.has(transaction.id))
    waiting = []
    for (const one of others) {
      const isUnaffordable = unaffordable.has(payerOf(one))
      // A released bill goes to the next draft, whose client may have the money.
      if (unused.length > 0 && !isUnaffordable) waiting.push(one)
      else {
        const kind = isUnaffordable ? 'insufficient_funds' : 'taken'
        answers.set(one.transaction.id, (await findSame(tx, one)) ?? { kind })
      }
    }
  }
  return drafts.map(({ transaction }) => answers.get(transaction.id) ?? { kind: 'taken' })
}

/** Records the drafts whose bills are free; returns those that released their bill again. */
async function recordFree(
  tx: Tx,
  drafts: BillDraft[],
  now: Date,
  answers: Map<string, BillRecorded>,
): Promise<BillDraft[]> {
  const claims = drafts.flatMap(claimOf)
  const claimed = claims.length === 0 ? new Set<string>() : await claimBills(tx, claims)
  const free = drafts.filter(
    ({ transaction: { id, billReference } }) => billReference === null || claimed.has(id),
  )
  const recorded = free.length === 0 ? [] : await recordIntents(tx, free, now)
  const unused = free.filter((one, index) => {
    const answer = recorded[index]
    if (answer === undefined) throw new Error('a draft must be answered')
    answers.set(one.transaction.id, answer)
    // A payment recorded by an earlier run may have failed meanwhile.
    const isPaying = answer.kind === 'recorded' && answer.transaction.status !== 'FAILED'
    return !isPaying && one.transaction.billReference !== null
  })
  if (unused.length > 0) await releaseBills(tx, unused.flatMap(claimOf))
  return unused
}

function claimOf(one: BillDraft): BillClaim[] {
  const { clientId, id: transactionId, serviceCode, billReference } = one.transaction
  if (billReference === null) return []
  const account = bare(one.account)
  return [{ clientId, transactionId, serviceCode, account, billReference }]
}

/** Not every biller returns its own form of a customer number: leading zeros do not count. */
function bare(account: string): string {
  return account.replace(/^0+(?=.)/, '')
}

/** A key of client and bill: the same for all requests of a client to pay one bill. */
function payerOf(one: BillDraft): string {
  const { clientId, serviceCode, billReference } = one.transaction
  return JSON.stringify([clientId, serviceCode, bare(one.account), billReference])
}

/** The record of the same request, when it was sent twice. */
async function findSame(
  tx: Tx,
  { intent: { clientId, externalId } }: BillDraft,
): Promise<BillRecorded | undefined> {
  if (externalId === null) return undefined
  const [existing] = await findByExternalIds(tx, [{ clientId, externalId }])
  return existing === undefined ? undefined : { kind: 'duplicate', existing }
}

/** Whether a bill is claimed: it is being paid, or was. Billers no longer list paid bills. */
export function isTaken(
  db: Db,
  { serviceCode, account, billReference }: Omit<BillClaim, 'clientId' | 'transactionId'>,
): Promise<boolean> {
  return hasClaim(db, { serviceCode, account: bare(account), billReference })
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
