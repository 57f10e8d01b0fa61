import { succeeded, unlisted, wholeAmount } from '../answers.ts'
import type { Attempt, Bill, Inquiry, Outcome } from '../contract.ts'
import type { Answered } from '../http.ts'
import { meaningOf } from '../protocol.ts'
import type { GsmaClient } from './client.ts'
import { billStatuses, transactionStatuses } from './status.ts'
import type { BillWire } from './wire.ts'
import { readBillPayment, readBills, readError } from './wire.ts'

/** What a customer owes this biller; what cannot be read whole is not shown in part. */
export async function inquire(client: GsmaClient, account: string): Promise<Inquiry> {
  const reply = await client.read(billsOf(account))
  if (reply.kind !== 'answered') return { kind: 'unavailable', reason: reply.reason }
  if (reply.status === 404 && readError(reply.body)?.errorCode === 'identifierError')
    return { kind: 'not_found' }
  const bills =
    reply.status === 200 ? readBills(reply.body)?.map((one) => billOf(one, account)) : []
  if (reply.status !== 200 || bills === undefined || bills.includes(undefined))
    return { kind: 'unavailable', reason: `unlisted answer: HTTP ${reply.status}` }
  const found = bills.filter((bill) => bill !== undefined)
  return { kind: 'found', account: found[0]?.account ?? account, bills: found }
}

/** Where the bills of a customer are. */
function billsOf(account: string): string {
  return `/accounts/accountid/${encodeURIComponent(account)}/bills`
}

/** Where a bill is paid. */
export function paymentsOf({ phone, billReference }: Attempt): string {
  return `${billsOf(phone)}/${encodeURIComponent(billReference ?? '')}/payments`
}

function billOf(wire: BillWire, account: string): Bill | undefined {
  const status = meaningOf(billStatuses, wire.billStatus)
  const amount = wholeAmount(wire.amountDue)
  const more = new Map(wire.customData?.map(({ key, value }) => [key, value ?? '']))
  const fee = wholeAmount(more.get('billFee') ?? '0')
  if (status === undefined || amount === undefined || fee === undefined || wire.currency !== 'XOF')
    return undefined
  return {
    reference: wire.billReference,
    account: more.get('customerReference') || account,
    lastName: more.get('customerLastName') ?? '',
    firstName: more.get('customerFirstName') || null,
    amount,
    fee,
    dueOn: /^\d{4}-\d{2}-\d{2}/.exec(wire.dueDate ?? '')?.[0] ?? null,
    isPaid: status === 'paid',
    address: null,
    meterStatus: null,
  }
}

/** The answer to a payment that was made at once. */
export function readPaid(attempt: Attempt, reply: Answered): Outcome {
  const payment = readBillPayment(reply.body)
  if (payment === undefined) return unlisted(attempt, reply)
  const { serviceProviderPaymentReference: reference, billPaymentStatus, currency } = payment
  const known = { ...attempt, reference }
  if (meaningOf(transactionStatuses, billPaymentStatus.toLowerCase()) !== 'succeeded')
    return unlisted(known, reply, billPaymentStatus)
  return succeeded(known, reply, { reference, amount: payment.amountPaid, currency })
}
