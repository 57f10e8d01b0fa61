import { lastNineDigits, text } from './fields.ts'
import type { Order, OrderBook } from './order.ts'
import { amountShown } from './order-book.ts'
import type { Answer, Call } from './router.ts'
import { runDueSteps } from './run-script.ts'

/** What a provider keeps of each payment in its statements. */
export interface StatementFee {
  basisPoints: number
  fixed: number
}

const titles = 'moment;reference;our_reference;kind;number;amount;fee;status'

/** The orders of a provider in a country on a day, as the file that it would send its client. */
export function writeStatement(book: OrderBook, { query }: Call): Answer {
  const [provider, country, day] = ['provider', 'country', 'day'].map((name) => query.get(name))
  if (!/^[A-Z][A-Z0-9]{1,19}$/.test(provider ?? '') || !/^[A-Z]{2}$/.test(country ?? ''))
    return refusal('provider, country: such as WALLETA, SN')
  if (!isDay(day ?? '')) return refusal('day: such as 2026-01-31')
  for (const order of book.orders) runDueSteps(book, order)
  const fee = book.statementFees.get(`${provider} ${country}`)
  const lines = book.orders
    .filter(({ mount }) => mount.provider === provider && mount.country === country)
    .filter((order) => momentOf(order).startsWith(`${day}T`))
    .map((order) => ({ moment: momentOf(order), line: lineOf(order, fee) }))
    .toSorted((one, other) => (one.moment < other.moment ? -1 : 1))
    .map(({ line }) => `${line}\n`)
  return {
    status: 200,
    html: `${titles}\n${lines.join('')}`,
    headers: { 'content-type': 'text/csv; charset=utf-8' },
  }
}

/** Sets what a provider keeps of each payment in its statements. */
export function setStatementFee(book: OrderBook, { body }: Call): Answer {
  const [provider, country] = [text(body.provider), text(body.country)]
  const { basisPoints = 0, fixed = 0 } = body
  if (provider === '' || country === '') return refusal('provider, country: such as WALLETA, SN')
  if (!isWhole(basisPoints, 10_000) || !isWhole(fixed, 1_000_000))
    return refusal('basisPoints, fixed: whole numbers')
  book.statementFees.set(`${provider} ${country}`, { basisPoints, fixed })
  return { status: 200, body: { ok: true } }
}

/** When money moved or the order failed; of a pending one, when it was made. */
function momentOf({ status, completedAt, createdAt }: Order): string {
  return new Date(status === 'pending' ? createdAt : completedAt).toISOString()
}

function lineOf(order: Order, fee: StatementFee | undefined): string {
  const { status, operation, reference, phone } = order
  const amount = amountShown(order)
  const kept =
    status === 'succeeded' && fee !== undefined
      ? Math.floor((amount * fee.basisPoints + 5000) / 10_000) + fee.fixed
      : 0
  const cells = [momentOf(order), reference, ourReferenceOf(order), operation]
  return [...cells, lastNineDigits(phone), amount, kept, status].join(';')
}

/** The id that its client gave the order. A refund may carry the reference of what it refunds. */
function ourReferenceOf({ operation, key, clientReference }: Order): string {
  return operation === 'reverse' ? key || clientReference : clientReference || key
}

function isDay(day: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day))
}

function isWhole(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most
}

function refusal(message: string): Answer {
  return { status: 400, body: { message } }
}
