import type { Db } from '../db/db.ts'
import { dayOf } from '../kit/zoned-days.ts'
import { findBalance } from '../ledger/store.ts'
import { operations } from '../transactions/transaction.ts'
import type { DayFigure, Sums } from './figures-store.ts'
import { countOpen, countTail, readDays, tailMax } from './figures-store.ts'

type Operation = (typeof operations)[number]

/** Sums over transactions that have ended, and what they come to. */
export interface Totals extends Sums {
  /** Per mille of those that ended; null: none has. */
  successRate: number | null
  /** The average amount of those that succeeded, in whole francs; null: none has. */
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
  today: Record<Operation | 'all', Totals>
  /** The last 30 days, today included. */
  last: Record<Operation | 'all', Totals>
  /** The 30 days before, to compare; empty where the client has begun in the course of them. */
  before: Record<Operation | 'all', Totals>
  /** Collections of the last 30 days by wallet and country, such as WALLETA_SN; largest first. */
  wallets: ({ wallet: string } & Totals)[]
  /** The last 30 days, oldest first, with the amounts of what succeeded. */
  days: { day: string; amounts: Record<Operation, number>; totals: Totals }[]
}

/** How many days are compared with as many before. */
export const periodDays = 30
const openMax = 1000
// A period in whose first days nothing happened is not a whole one.
export const begunDays = 7

/** Reads the figures of a client's home screen; days are those of a zone, such as Africa/Dakar. */
export async function readHome(
  db: Db,
  { clientId, zone, now }: { clientId: number; zone: string; now: Date },
): Promise<Home> {
  const [available, held, open, behind, { figures }] = await Promise.all([
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
  const hasBegunBefore = isIn(new Set(names.slice(0, begunDays))).length > 0
  return {
    available: available?.balance ?? 0,
    held: held?.balance ?? 0,
    open,
    isCurrent: behind <= tailMax,
    today: byOperation(isIn(new Set(last.slice(-1)))),
    last: byOperation(lastFigures),
    before: byOperation(hasBegunBefore ? isIn(before) : []),
    wallets: byWallet(lastFigures),
    days: last.map((day) => figuresOfDay(day, isIn(new Set([day])))),
  }
}

const knownNames = new Map<string, string[]>()

/** The names of the last days up to a time, oldest first, in a zone: 2026-01-15. */
export function dayNames(now: Date, zone: string, count: number): string[] {
  const today = dayOf(now, zone)
  const key = `${today} ${count}`
  const noonMs = Date.parse(`${today}T12:00:00Z`)
  const names =
    knownNames.get(key) ??
    Array.from({ length: count }, (_, index) =>
      new Date(noonMs - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
    )
  // All zones of the world are in three days.
  if (knownNames.size > 10) knownNames.clear()
  knownNames.set(key, names)
  return names
}

/** Adds figures up. */
export function totalsOf(
  figures: Pick<DayFigure, 'status' | 'count' | 'amount' | 'fee'>[],
): Totals {
  return totalsFrom(figures.map(sumsOf))
}

/** The sums of one figure. */
export function sumsOf({ status, count, ...one }: Parameters<typeof totalsOf>[0][number]): Sums {
  const hasSucceeded = status === 'SUCCESS'
  return {
    ended: count,
    succeeded: hasSucceeded ? count : 0,
    amount: hasSucceeded ? one.amount : 0,
    fee: hasSucceeded ? one.fee : 0,
  }
}

/** Adds sums up. */
export function totalsFrom(all: Sums[]): Totals {
  const sums = { ended: 0, succeeded: 0, amount: 0, fee: 0 }
  for (const one of all) addTo(sums, one)
  const { ended, succeeded, amount } = sums
  return {
    ...sums,
    successRate: ended === 0 ? null : Math.round((1000 * succeeded) / ended),
    averageAmount: succeeded === 0 ? null : Math.round(amount / succeeded),
  }
}

/** Adds to sums. */
export function addTo(sums: Sums, { ended, succeeded, amount, fee }: Sums): void {
  sums.ended += ended
  sums.succeeded += succeeded
  sums.amount += amount
  sums.fee += fee
}

function byOperation(figures: DayFigure[]): Record<Operation | 'all', Totals> {
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
  return {
    day,
    amounts: Object.fromEntries(sums) as Record<Operation, number>,
    totals: totalsOf(figures),
  }
}
