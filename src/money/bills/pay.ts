import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Making } from '#data/db/making.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { ownLimitProblem } from '#merchants/clients/contract.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import type { Bill } from '#money/providers/contract.ts'
import type { Intent } from '#money/transactions/intents.ts'
import { findByExternalIds } from '#money/transactions/store.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { BillContext } from './context.ts'
import { type Customer, inquireBills, referenceOf } from './inquiry.ts'
import { type BillDraft, type BillRecorded, isTaken } from './record.ts'

/** A merchant's order to pay a bill or to top up a meter. */
export interface BillOrder {
  clientId: number
  keyId: string
  externalId: string | null
  service: Service
  terms: ServiceTerms
  /** The meter or customer number, as the merchant writes it. */
  account: string
  /** What a meter is topped up by; null: a bill, which has its own amount. */
  amount: number | null
  /** What a person has agreed to: a bill of another amount is refused. Left out: any amount. */
  reviewedAmount?: number
  /** Null: the first bill that is not paid. */
  billReference: string | null
  payeeName: string
  subMerchantId: string | null
  callbackUrl: string | null
  customData: string | null
  /** Of a request that may be repeated: its one record. */
  making?: Making | undefined
}

/** A recorded payment, the record that has its external id, or a refusal that records nothing. */
export type BillPaid =
  | { kind: 'recorded'; transaction: Transaction }
  | { kind: 'duplicate'; existing: Transaction | undefined }
  | { kind: 'refused'; refusal: Refusal }

const takenMessage = 'This bill is already paid, or is being paid'

/**
 * Asks the biller, records the intent, pays, and answers with how far it got. Once the intent is
 * recorded this cannot fail: the sweeper completes whatever goes wrong afterwards.
 */
export async function payBill(
  context: BillContext,
  order: BillOrder,
  record: (draft: BillDraft) => Promise<BillRecorded>,
): Promise<BillPaid> {
  const { service } = order
  // Before the biller is asked, which by now would answer that the first request's bill is paid.
  const duplicate = await findDuplicate(context, order)
  if (duplicate !== undefined) return duplicate
  if (!context.transactions.isAvailable(service))
    throw new Refusal(
      'service_unavailable',
      reason('The service {code} is not available right now', { code: service.code }),
    )
  const customer = await inquireBills(context, service, order.account)
  const chosen = chooseBill(customer?.bills, order)
  // And after it: the same request, sent twice concurrently, may have paid the bill in between.
  if (chosen instanceof Refusal)
    return (await findDuplicate(context, order)) ?? refuse(context, order, customer, chosen)
  const intent = intentOf(order, chosen)
  const recorded = await record({
    ...(await context.transactions.draft(intent)),
    account: customer?.account ?? order.account,
  })
  switch (recorded.kind) {
    case 'recorded':
      return {
        kind: 'recorded',
        transaction: await context.transactions.sendWithin(recorded.transaction),
      }
    case 'duplicate':
    case 'refused':
      return recorded
    case 'insufficient_funds':
      return refused('insufficient_funds', 'Insufficient balance')
    case 'taken':
      return refused('bill_already_paid', takenMessage)
  }
}

async function findDuplicate(
  { db }: BillContext,
  { clientId, externalId }: BillOrder,
): Promise<BillPaid | undefined> {
  if (externalId === null) return undefined
  const [existing] = await findByExternalIds(db, [{ clientId, externalId }])
  return existing === undefined ? undefined : { kind: 'duplicate', existing }
}

/** Billers no longer list paid bills: one that we have claimed is paid, not unknown. */
async function refuse(
  { db }: BillContext,
  { service, billReference }: BillOrder,
  customer: Customer,
  refusal: Refusal,
): Promise<BillPaid> {
  const isMissing = refusal.kind === 'bill_not_found'
  if (isMissing && customer !== undefined && billReference !== null) {
    const bill = { serviceCode: service.code, account: customer.account, billReference }
    if (await isTaken(db, bill)) return refused('bill_already_paid', takenMessage)
  }
  return { kind: 'refused', refusal }
}

/**
 * The bill that an order means; a meter has none, and its amount is the order's own. No bills:
 * the biller does not know the customer.
 */
function chooseBill(
  bills: Bill[] | undefined,
  { amount, billReference, reviewedAmount, terms }: BillOrder,
): { amount: number; reference: string | null } | Refusal {
  if (bills === undefined) return new Refusal('bill_not_found', 'No bill found for this reference')
  const named = bills.find((one) => referenceOf(one) === billReference)
  if (billReference !== null && named === undefined)
    return new Refusal('bill_not_found', 'This customer has no bill of that reference')
  if (amount !== null) return { amount, reference: null }
  const bill = named ?? bills.find(isDue)
  if (bill === undefined || !isDue(bill))
    return new Refusal(
      'bill_already_paid',
      billReference === null ? 'No bill is left to pay' : 'This bill is already paid',
    )
  if (reviewedAmount !== undefined && bill.amount !== reviewedAmount)
    return new Refusal('conflict', reason('The bill is {amount} FCFA now', { amount: bill.amount }))
  const excluded = ownLimitProblem(terms, bill.amount)
  if (excluded !== undefined) return new Refusal('invalid_amount', excluded)
  return { amount: bill.amount, reference: bill.reference }
}

function isDue(bill: Bill): boolean {
  return !bill.isPaid && bill.amount > 0
}

function intentOf(order: BillOrder, bill: { amount: number; reference: string | null }): Intent {
  const { account: phone, terms, service, reviewedAmount: _reviewed, ...rest } = order
  return {
    ...rest,
    service,
    operation: 'BILL',
    amount: bill.amount,
    fee: feeOn(service, terms, bill.amount),
    phone,
    billReference: bill.reference,
    successUrl: '',
    failureUrl: '',
  }
}

function refused(kind: 'insufficient_funds' | 'bill_already_paid', text: string): BillPaid {
  return { kind: 'refused', refusal: new Refusal(kind, text) }
}
