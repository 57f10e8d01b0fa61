import { isWholeDay } from '#base/kit/read-time.ts'
import { meaningOf } from '../code-table.ts'
import type { Attempt, Bill, Inquiry, Outcome } from '../contract.ts'
import type { HttpResponse } from '../http-client.ts'
import { wholeAmount } from '../json-reader.ts'
import { succeeded, unlisted } from '../outcomes.ts'
import type { GsmaClient } from './client.ts'
import { billStatuses, transactionStatuses } from './status.ts'
import { type BillWire, readBillPayment, readBills, readError } from './wire.ts'

/** The bills of a customer. If one of them cannot be read, none is returned: `unavailable`. */
export async function inquire(client: GsmaClient, account: string): Promise<Inquiry> {
  const reply = await client.read(billsPath(account))
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

function billsPath(account: string): string {
  return `/accounts/accountid/${encodeURIComponent(account)}/bills`
}

/** The path to which the payment of this attempt's bill is posted. */
export function billPaymentsPath({ phone, billReference }: Attempt): string {
  return `${billsPath(phone)}/${encodeURIComponent(billReference ?? '')}/payments`
}

// It stands in an index of the bills that are being paid.
const accountMax = 64

function billOf(wire: BillWire, asked: string): Bill | undefined {
  const status = meaningOf(billStatuses, wire.billStatus)
  const amount = wholeAmount(wire.amountDue)
  const customData = new Map(wire.customData?.map(({ key, value }) => [key, value ?? '']))
  const fee = wholeAmount(customData.get('billFee') ?? '0')
  const dueDate = (wire.dueDate ?? '').slice(0, 10)
  const account = customData.get('customerReference') || asked
  if (status === undefined || amount === undefined || fee === undefined || wire.currency !== 'XOF')
    return undefined
  if (account.length > accountMax) return undefined
  return {
    reference: wire.billReference,
    account,
    lastName: customData.get('customerLastName') ?? '',
    firstName: customData.get('customerFirstName') || null,
    amount,
    fee,
    dueOn: isWholeDay(dueDate) ? dueDate : null,
    isPaid: status === 'paid',
    address: null,
    meterStatus: null,
  }
}

/** The outcome of a payment that the biller booked at once (HTTP 201). */
export function readPaidBill(attempt: Attempt, reply: HttpResponse): Outcome {
  const payment = readBillPayment(reply.body)
  if (payment === undefined) return unlisted(attempt, reply)
  const { serviceProviderPaymentReference: reference, billPaymentStatus, currency } = payment
  const known = { ...attempt, reference }
  if (meaningOf(transactionStatuses, billPaymentStatus.toLowerCase()) !== 'succeeded')
    return unlisted(known, reply, billPaymentStatus)
  return succeeded(known, reply, { reference, amount: payment.amountPaid, currency })
}
