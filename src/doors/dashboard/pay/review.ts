import { after } from '#base/kit/clock.ts'
import { formatAmount } from '#base/kit/money.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { ownLimitProblem } from '#merchants/clients/contract.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { Customer } from '#money/bills/inquiry.ts'
import type { Bill } from '#money/providers/contract.ts'
import { anyTransaction } from '#money/transactions/list.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import type { Problems } from '../frame/fields.ts'
import { WrongFields } from '../frame/problems.ts'
import type { Visit } from '../frame/visit.ts'
import { sentenceOf } from '../frame/words.ts'
import { isToPhone } from './kinds.ts'
import type { Wanted } from './read-wanted.ts'
import { payWords } from './words.ts'

/** A payment at its price. */
export interface Payment extends Wanted {
  amount: number
  fee: number
  /** Empty: it is no bill that is paid. */
  billReference: string
}

/** What is about to be paid, with all that a person should see first. */
export interface Review extends Payment {
  /** What can be spent before. */
  available: number
  /** Of the biller's customer, or as the merchant's own files name the number; '' unknown. */
  name: string
  /** The bill that is paid, or the meter. */
  bill: Bill | undefined
  otherBills: Bill[]
  /** The same payment, made within a day. */
  earlier: Transaction | undefined
}

const dayMs = 86_400_000

/** Asks the biller and prices what is wanted; throws by field why it cannot be paid. */
export async function reviewOf(
  context: DashboardContext,
  visit: Visit,
  wanted: Wanted,
  wantedBill: string,
): Promise<Review> {
  const { service, terms } = wanted
  const say = payWords[visit.language]
  if (!context.transactions.isAvailable(service)) throw new WrongFields({ service: say.down })
  const { bill, otherBills } = await askBiller(context, visit, wanted, wantedBill)
  const amount = wanted.amount ?? bill?.amount ?? 0
  const excluded = wanted.kind === 'bill' ? ownLimitProblem(terms, amount) : undefined
  if (excluded !== undefined) throw new WrongFields({ to: sentenceOf(excluded, visit.language) })
  const fee = feeOn(service, terms, amount)
  const { available } = await context.ledger.balances(visit.client.id)
  if (amount + fee > available)
    throw new WrongFields(tooPoor(visit, wanted, amount + fee, available))
  const [name, earlier] = await Promise.all([
    nameOf(context, visit, wanted, bill),
    findEarlier(context, visit, wanted, amount),
  ])
  const billReference = wanted.kind === 'bill' ? (bill?.reference ?? '') : ''
  const payment = { ...wanted, amount, fee, billReference }
  return { ...payment, available, name, bill, otherBills, earlier }
}

/** Under the amount; a bill has none to change, so under its customer. */
export function tooPoor(
  { language }: Visit,
  { kind }: Pick<Wanted, 'kind'>,
  needed: number,
  available: number,
): Problems {
  const sentence = payWords[language].poor(formatAmount(needed), formatAmount(available))
  return { [kind === 'bill' ? 'to' : 'amount']: sentence }
}

async function askBiller(
  { bills }: DashboardContext,
  { language }: Visit,
  { kind, service, to }: Wanted,
  billReference: string,
): Promise<Pick<Review, 'bill' | 'otherBills'>> {
  if (isToPhone(kind)) return { bill: undefined, otherBills: [] }
  const say = payWords[language]
  let customer: Customer
  try {
    customer = await bills.inquire(service, to)
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem
    throw new WrongFields({ service: say.down })
  }
  if (customer === undefined) throw new WrongFields({ to: say.unknownAccount })
  if (kind === 'meter') return { bill: customer.bills[0], otherBills: [] }
  const due = customer.bills.filter(({ isPaid, amount }) => !isPaid && amount > 0)
  const bill = due.find(({ reference }) => billReference === '' || reference === billReference)
  if (bill === undefined)
    throw new WrongFields({ to: due.length === 0 ? say.nothingDue : say.billGone })
  return { bill, otherBills: due.filter((one) => one !== bill) }
}

async function nameOf(
  { batches }: DashboardContext,
  { client }: Visit,
  { kind, to }: Wanted,
  bill: Bill | undefined,
): Promise<string> {
  if (bill !== undefined) return [bill.firstName, bill.lastName].filter(Boolean).join(' ')
  return isToPhone(kind) ? batches.nameOf(client.id, to) : ''
}

/** The last payment of the same amount to the same number, if it has not failed. */
async function findEarlier(
  { transactions }: DashboardContext,
  { client, now }: Visit,
  { service, to: phone }: Wanted,
  amount: number,
): Promise<Transaction | undefined> {
  const filter = { ...anyTransaction, serviceCode: service.code, phone }
  const range = { from: after(now, -dayMs), to: null, after: null, limit: 20 }
  const found = await transactions.list(wholeClient(client.id), filter, range)
  const isSame = (one: Transaction) =>
    one.amount === amount && one.status !== 'FAILED' && one.status !== 'CANCELLED'
  return found.transactions.find(isSame)
}
