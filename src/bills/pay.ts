import { Refusal, reason } from '../catalog/refusal.ts'
import type { Service } from '../catalog/services.ts'
import type { FeeTerms } from '../clients/fees.ts'
import { feeOn } from '../clients/fees.ts'
import { batched } from '../db/batch.ts'
import type { Bill } from '../providers/contract.ts'
import { sendWithin } from '../transactions/init.ts'
import type { Intent } from '../transactions/intents.ts'
import { draft } from '../transactions/intents.ts'
import type { Engine } from '../transactions/open.ts'
import { findByExternalIds } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Customer } from './inquiry.ts'
import { inquireBills } from './inquiry.ts'
import type { BillDraft, BillRecorded } from './record.ts'
import { isTaken, recordBillPayments } from './record.ts'

/** What a merchant wants to be paid. */
export interface BillOrder {
  clientId: number
  keyId: string
  externalId: string | null
  service: Service
  terms: FeeTerms
  /** The meter or customer number, as the merchant writes it. */
  account: string
  /** For a meter; bills have amounts of their own. */
  amount: number | null
  /** Null: the first bill that is not paid. */
  billReference: string | null
  payeeName: string
  subMerchantId: string | null
  callbackUrl: string | null
  customData: string | null
}

/** A payment on record, the record that has its external id, or a "no" that left no trace. */
export type BillPaid =
  | { kind: 'recorded'; transaction: Transaction }
  | { kind: 'duplicate'; existing: Transaction | undefined }
  | { kind: 'refused'; refusal: Refusal }

export type PayBill = (order: BillOrder) => Promise<BillPaid>

const taken = 'This bill is paid already, or is being paid'

/** The verb that pays bills; payments that come together are recorded together. */
export function openBillPayments(engine: Engine): PayBill {
  const { db, clock } = engine
  const record = batched((drafts: BillDraft[]) =>
    db.transaction((tx) => recordBillPayments(tx, drafts, clock.now())),
  )
  return (order) => payBill(engine, order, record)
}

/**
 * Asks the biller, records the intent, pays, and tells how far it got. Once it is recorded nothing
 * can make this fail: whatever goes wrong afterwards is picked up from the row.
 */
async function payBill(
  engine: Engine,
  order: BillOrder,
  record: (draft: BillDraft) => Promise<BillRecorded>,
): Promise<BillPaid> {
  const { service } = order
  // Before the biller is asked: by now it would say that the first request's bill is paid.
  const duplicate = await findDuplicate(engine, order)
  if (duplicate !== undefined) return duplicate
  if (!engine.providers.find(service)?.isAvailable())
    throw new Refusal(
      'service_unavailable',
      reason('The service {code} is not available right now', { code: service.code }),
    )
  const customer = await inquireBills(engine, service, order.account)
  const chosen = chooseBill(customer?.bills, order)
  // And after it: the same request, sent twice at once, may have paid the bill in between.
  if (chosen instanceof Refusal)
    return (await findDuplicate(engine, order)) ?? refuse(engine, order, customer, chosen)
  const intent = intentOf(order, chosen)
  const recorded = await record({
    ...draft(intent, engine.clock.now()),
    account: customer?.account ?? order.account,
  })
  switch (recorded.kind) {
    case 'recorded':
      return { kind: 'recorded', transaction: await sendWithin(engine, recorded.transaction) }
    case 'duplicate':
      return recorded
    case 'insufficient_funds':
      return refused('insufficient_funds', 'Insufficient balance')
    case 'taken':
      return refused('bill_already_paid', taken)
  }
}

async function findDuplicate(
  { db }: Engine,
  { clientId, externalId }: BillOrder,
): Promise<BillPaid | undefined> {
  if (externalId === null) return undefined
  const [existing] = await findByExternalIds(db, [{ clientId, externalId }])
  return existing === undefined ? undefined : { kind: 'duplicate', existing }
}

/** Billers forget bills that are paid: one that we know to be taken is not unknown. */
async function refuse(
  { db }: Engine,
  { service, billReference }: BillOrder,
  customer: Customer,
  refusal: Refusal,
): Promise<BillPaid> {
  const isMissing = refusal.kind === 'bill_not_found'
  if (isMissing && customer !== undefined && billReference !== null) {
    const bill = { serviceCode: service.code, account: customer.account, billReference }
    if (await isTaken(db, bill)) return refused('bill_already_paid', taken)
  }
  return { kind: 'refused', refusal }
}

/**
 * The bill that an order means; a meter has none, and its amount is the order's own. No bills:
 * the biller does not know the customer.
 */
function chooseBill(
  bills: Bill[] | undefined,
  { amount, billReference }: BillOrder,
): { amount: number; reference: string | null } | Refusal {
  if (bills === undefined) return new Refusal('bill_not_found', 'No bill found for this reference')
  if (amount !== null) return { amount, reference: null }
  const named = bills.find(({ reference }) => reference === billReference)
  if (billReference !== null && named === undefined)
    return new Refusal('bill_not_found', 'This customer has no bill of that reference')
  const bill = named ?? bills.find(isDue)
  if (bill === undefined || !isDue(bill))
    return new Refusal(
      'bill_already_paid',
      billReference === null ? 'No bill is left to pay' : 'This bill is paid already',
    )
  return { amount: bill.amount, reference: bill.reference }
}

function isDue(bill: Bill): boolean {
  return !bill.isPaid && bill.amount > 0
}

function intentOf(order: BillOrder, bill: { amount: number; reference: string | null }): Intent {
  const { account: phone, terms, service, ...rest } = order
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
