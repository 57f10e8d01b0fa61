import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { readBalances } from '../ledger/store.ts'
import type { Home, Totals } from './figures.ts'
import { addTo, begunDays, dayNames, periodDays, sumsOf, totalsFrom } from './figures.ts'
import type { AddedDay, DayFigure, KnownDays, Sums } from './figures-store.ts'
import { readAdded, readDays } from './figures-store.ts'

/** The figures above a home screen. */
export interface HomeFigures extends Pick<Home, 'available' | 'held' | 'isCurrent'> {
  today: Totals
  last: Totals
  before: Totals
}

/** The figures above a home screen, of all that is on it. */
export function figuresOf(home: Home): HomeFigures {
  const { available, held, isCurrent, today, last, before } = home
  return { available, held, isCurrent, today: today.all, last: last.all, before: before.all }
}

/** Whose figures, in the days of which zone. */
type Wanted = Pick<KnownDays, 'clientId' | 'zone'>

interface Kept extends KnownDays {
  /** By the names of their days; without what is passing. */
  days: Map<string, Sums>
  /** False: more has ended than was added at once. */
  isCurrent: boolean
}

const addedMax = 5000

/**
 * The figures of home screens that are open. The days of a client are read once; from then on what
 * has ended since is added to them, for all clients by one statement. An event stands for all that
 * ended with it, and its position is known in the same statement: nothing is counted twice.
 */
export function openLiveFigures({ db, clock }: { db: Db; clock: Clock }) {
  const all = new Map<string, Kept>()
  let last: Promise<unknown> = Promise.resolve()

  async function keep(one: Wanted): Promise<Kept> {
    const known = all.get(keyOf(one))
    if (known !== undefined) return known
    const range = { ...one, now: clock.now(), days: 2 * periodDays }
    const { position, figures } = await readDays(db, range)
    const kept = { ...one, position, days: daysOf(figures), isCurrent: false }
    all.set(keyOf(one), kept)
    return kept
  }

  async function readNow(wanted: Wanted[]): Promise<HomeFigures[]> {
    const kept: Kept[] = []
    for (const one of wanted) kept.push(await keep(one))
    const passing = await addNew(db, kept)
    const clientIds = [...new Set(wanted.map(({ clientId }) => clientId))]
    const balances = new Map((await readBalances(db, clientIds)).map((one) => [one.clientId, one]))
    const now = clock.now()
    return kept.map((one, index) => ({
      ...periodsOf(one, passing[index] ?? [], now),
      isCurrent: one.isCurrent,
      available: balances.get(one.clientId)?.available ?? 0,
      held: balances.get(one.clientId)?.held ?? 0,
    }))
  }

  return {
    /** Reads the figures of clients, in the order that they are asked for. */
    read(wanted: Wanted[]): Promise<HomeFigures[]> {
      // One after the other: two would add the same.
      const figures = last.then(() => readNow(wanted))
      last = figures.catch(() => {})
      return figures
    },
    /** Forgets what is kept of a client, also by what is being read. */
    forget(id: number): void {
      const forgetNow = () => {
        for (const [key, { clientId }] of all) if (clientId === id) all.delete(key)
      }
      last = last.then(forgetNow)
    },
  }
}

/** Adds what has ended since to the days that are kept; returns what is passing of each. */
async function addNew(db: Db, kept: Kept[]): Promise<AddedDay[][]> {
  const added = await readAdded(db, kept, addedMax)
  const byNumber = Map.groupBy(added, ({ number }) => number)
  return kept.map((one, index) => {
    const own = byNumber.get(index + 1) ?? []
    for (const { day, isPassing, ...sums } of own)
      if (day !== null && !isPassing) addTo(dayIn(one.days, day), sums)
    one.position = own[0]?.position ?? one.position
    one.isCurrent = (own[0]?.events ?? 0) < addedMax
    return own.filter(({ isPassing }) => isPassing)
  })
}

/** Today, the last days and those before them. */
function periodsOf({ days, zone }: Kept, passing: AddedDay[], now: Date) {
  const names = dayNames(now, zone, 2 * periodDays)
  const totalsIn = (some: string[]) =>
    totalsFrom([
      ...some.map((name) => days.get(name)).filter((one) => one !== undefined),
      ...passing.filter(({ day }) => day !== null && some.includes(day)),
    ])
  const before = totalsIn(names.slice(0, periodDays))
  const hasBegunBefore = totalsIn(names.slice(0, begunDays)).ended > 0
  return {
    today: totalsIn(names.slice(-1)),
    last: totalsIn(names.slice(periodDays)),
    before: hasBegunBefore ? before : totalsFrom([]),
  }
}

function daysOf(figures: DayFigure[]): Map<string, Sums> {
  const days = new Map<string, Sums>()
  for (const figure of figures)
    if (!figure.isPassing) addTo(dayIn(days, figure.day), sumsOf(figure))
  return days
}

function dayIn(days: Map<string, Sums>, day: string): Sums {
  const sums = days.get(day) ?? { ended: 0, succeeded: 0, amount: 0, fee: 0 }
  days.set(day, sums)
  return sums
}

function keyOf({ clientId, zone }: Wanted): string {
  return `${clientId} ${zone}`
}
