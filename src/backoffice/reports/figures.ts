import { dayOf } from '#base/kit/zoned-days.ts'
import type { Db } from '#data/db/db.ts'
import { findBalance } from '#money/ledger/store.ts'
import { operations } from '#money/transactions/transaction.ts'
import { countOpen, countTail, type DayFigure, readDays, tailMax } from './figures-store.ts'

type Operation = (typeof operations)[number]

/** Sums over transactions that have ended, and what they come to. */
export interface Totals {
  ended: number
  succeeded: number
  /** The amounts of those that succeeded, and what was charged for them. */
  amount: number
  fee: number
  /** Per mille of those that ended; null: none has. */
  successRate: number | null
}

/** The totals of a period, by what they are of. */
export type Period = Record<Operation | 'all', Totals>

/** What a merchant collected: refunds are taken off again. */
export interface Collected {
  count: number
  amount: number
  /** For each collection, in whole francs; null: there is none. */
  averageAmount: number | null
}

/** The figures of a client's home screen. */
export interface Home {
  available: number
  held: number
  /** Transactions that have not ended, counted up to 1,000. */
  open: number
  /** False: the hours are still being summed up, and the figures are too low. */
  isCurrent: boolean
  today: Period
  /** The last 30 days, today included. */
  last: Period
  /** The 30 days before. */
  before: Period
  /** Whether the client had begun before those, and not in the course of them. */
  isComparable: boolean
  /** Collections of the last 30 days by wallet and country, such as WALLETA_SN; largest first. */
  wallets: ({ wallet: string } & Totals)[]
  /** The last 30 days, oldest first, with the amounts of what succeeded. */
  days: { day: string; amounts: Record<Operation, number> }[]
}

/** How many days are compared with as many before. */
const periodDays = 30
const openMax = 1000
// A period in whose first days nothing happened is not a whole one.
const begunDays = 7

/** Reads the figures of a client's home screen; days are those of a zone, such as Africa/Dakar. */
export async function readHome(
  db: Db,
  { clientId, zone, now }: { clientId: number; zone: string; now: Date },
): Promise<Home> {
  const [available, held, open, behind, figures] = await Promise.all([
    findBalance(db, clientId, 'available'),
    findBalance(db, clientId, 'held'),
    countOpen(db, clientId, openMax),
    countTail(db, clientId),
    readDays(db, { clientId, zone, now, days: 2 * periodDays }),
  ])
  const names = dayNames(now, zone, 2 * periodDays)
  const [before, last] = [new Set(names.slice(0, periodDays)), names.slice(periodDays)]
  const isIn = (days: Set<string>) => figures.filter(({ day }) => days.has(day))
  const lastFigures = isIn(new Set(last))
  return {
    available: available?.balance ?? 0,
    held: held?.balance ?? 0,
    open,
    isCurrent: behind <= tailMax,
    today: byOperation(isIn(new Set(last.slice(-1)))),
    last: byOperation(lastFigures),
    before: byOperation(isIn(before)),
    isComparable: isIn(new Set(names.slice(0, begunDays))).length > 0,
    wallets: byWallet(lastFigures),
    days: last.map((day) => figuresOfDay(day, isIn(new Set([day])))),
  }
}

/** What was collected in a period. */
export function collectedIn({ CASHOUT, REFUND }: Period): Collected {
  const { succeeded: count } = CASHOUT
  const amount = CASHOUT.amount - REFUND.amount
  return { count, amount, averageAmount: count === 0 ? null : Math.round(amount / count) }
}

/** What a merchant paid out, refunds aside. */
export function paidOutIn({ CASHIN, AIRTIME, BILL }: Period): number {
  return CASHIN.amount + AIRTIME.amount + BILL.amount
}

/** The names of the last days up to a time, oldest first, in a zone: 2026-01-15. */
function dayNames(now: Date, zone: string, count: number): string[] {
  const noonMs = Date.parse(`${dayOf(now, zone)}T12:00:00Z`)
  return Array.from({ length: count }, (_, index) =>
    new Date(noonMs - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  )
}

/** Adds figures up. */
function totalsOf(figures: DayFigure[]): Totals {
  const sums = { ended: 0, succeeded: 0, amount: 0, fee: 0 }
  for (const { status, count, amount, fee } of figures) {
    sums.ended += count
    if (status !== 'SUCCESS') continue
    sums.succeeded += count
    sums.amount += amount
    sums.fee += fee
  }
  const { ended, succeeded } = sums
  return { ...sums, successRate: ended === 0 ? null : Math.round((1000 * succeeded) / ended) }
}

function byOperation(figures: DayFigure[]): Period {
  const of = (operation: Operation) => figures.filter((one) => one.operation === operation)
  return {
    all: totalsOf(figures),
    CASHOUT: totalsOf(of('CASHOUT')),
    CASHIN: totalsOf(of('CASHIN')),
    AIRTIME: totalsOf(of('AIRTIME')),
    BILL: totalsOf(of('BILL')),
    REFUND: totalsOf(of('REFUND')),
  }
}

function byWallet(figures: DayFigure[]): Home['wallets'] {
  const collections = figures.filter(({ operation }) => operation === 'CASHOUT')
  const groups = Map.groupBy(collections, ({ serviceCode }) =>
    serviceCode.split('_').slice(0, 2).join('_'),
  )
  return [...groups]
    .map(([wallet, group]) => ({ wallet, ...totalsOf(group) }))
    .toSorted((one, other) => other.amount - one.amount || other.ended - one.ended)
}

function figuresOfDay(day: string, figures: DayFigure[]): Home['days'][number] {
  const sums = operations.map((operation) => {
    const own = figures.filter((one) => one.operation === operation)
    return [operation, totalsOf(own).amount] as const
  })
  return { day, amounts: Object.fromEntries(sums) as Record<Operation, number> }
}
