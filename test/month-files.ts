import { after } from '#base/kit/clock.ts'
import { dayOf, startOfDay } from '#base/kit/zoned-days.ts'
import type { File, Ours, Told } from './plain-month.ts'
import type { MadeLine } from './statement-maker.ts'

export const dayMs = 86_400_000
export const spanMs = 6 * dayMs

/** Numbers that look like chance, the same for the same seed. */
export function chance(seed: number) {
  let state = seed * 2_654_435_761
  const below = (count: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % count
  }
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T
  const shuffled = <T>(all: T[]): T[] =>
    all
      .map((one): [number, T] => [below(1e9), one])
      .toSorted(([one], [other]) => one - other)
      .map(([, one]) => one)
  return { below, pick, shuffled }
}
export type Chance = ReturnType<typeof chance>

function lineOf(ours: Ours, reference: string, change: Partial<MadeLine> = {}): MadeLine {
  return {
    moment: ours.at.toISOString(),
    reference,
    our_reference: `${ours.clientId}.${ours.attemptId}`,
    kind: ours.operation === 'CASHOUT' ? 'collect' : 'disburse',
    number: '',
    amount: ours.amount,
    fee: Math.round(ours.amount / 100),
    status: 'succeeded',
    ...change,
  }
}

/** What is told of a payment of ours. */
export function toldOf(about: Ours, { pick, below }: Chance, isEdge: boolean): Told[] {
  const tail = about.attemptId.slice(-12)
  const tell = (change: Partial<MadeLine> = {}, isCorrection = false, lateMs = 0): Told => {
    const at = after(about.at, lateMs)
    const line = lineOf(about, about.reference ?? `P${tail}`, {
      moment: at.toISOString(),
      ...change,
    })
    return { line, at, isCorrection, about }
  }
  if (about.status === 'OPEN') return [tell({ status: below(4) === 0 ? 'failed' : 'succeeded' })]
  if (about.status !== 'SUCCESS')
    return [tell({ status: below(10) === 0 ? 'succeeded' : 'failed' })]
  const all: Record<string, Told[]> = {
    right: [tell()],
    missing: isEdge ? [tell()] : [],
    amount: [tell({ amount: about.amount + 100 })],
    failed: [tell({ status: 'failed' })],
    pending: [tell({ status: 'pending' })],
    later: [tell({ status: 'pending' }), tell({}, true)],
    reversed: [tell(), tell({ status: 'reversed' }, false, below(2 * dayMs))],
    corrected: [tell({ amount: about.amount + 7, fee: 3 }), tell({}, true)],
    fee: [tell({ fee: 1 }), tell({ fee: 11 }, true)],
    twice: [tell(), tell()],
    late: isEdge ? [tell()] : [tell({}, true)],
    moved: [tell({ amount: about.amount + 9 }), tell({ amount: about.amount + 9, fee: 4 }, true)],
    second: [tell({}, below(2) === 0), tell({ reference: `S${tail}` })],
    early: [tell({}, false, isEdge ? 0 : -2 * dayMs)],
    days: [tell({}, false, isEdge ? 0 : 2 * dayMs)],
  }
  return all[below(2) === 0 ? 'right' : pick(Object.keys(all))] ?? []
}

/** Facts of no payment of ours: strangers, fees of a day, money from the bank. */
export function strangers({ below }: Chance, from: Date): Told[] {
  const line = { our_reference: '', number: '', fee: 0, status: 'succeeded', kind: 'collect' }
  const tell = (change: Partial<MadeLine>, isCorrection = false): Told => {
    const at = after(from, dayMs + below(spanMs - 2 * dayMs))
    const made = { ...line, moment: at.toISOString(), reference: '', amount: 40, ...change }
    return { line: { ...made, moment: at.toISOString() }, at, isCorrection, about: undefined }
  }
  const transfer = tell({ kind: 'transfer', reference: 'bank', amount: -9000 })
  const fee = tell({ kind: 'fee', amount: 25 })
  const corrected = { ...transfer, line: { ...transfer.line, amount: -8000 }, isCorrection: true }
  const strangers = Array.from({ length: 3 }, (_, index) =>
    tell({ reference: `X${index}`, fee: 2 }),
  )
  return [
    ...strangers,
    ...strangers.slice(1).map((one) => ({
      ...one,
      line: { ...one.line, amount: 30 + below(2) * 10, fee: 3 },
      isCorrection: true,
    })),
    transfer,
    corrected,
    fee,
    fee,
    fee,
    tell({ kind: 'fee', reference: 'monthly', amount: 300 }),
  ]
}

/** Files of a provider: whole parts of the time, some times again, and corrections at the end. */
export function filesOf(told: Told[], from: Date, random: Chance, timeZone: string): File[] {
  const days = Array.from({ length: spanMs / dayMs + 2 }, (_, day) =>
    startOfDay(dayOf(after(from, (day - 1) * dayMs), timeZone), timeZone),
  )
  const end = after(days.at(-1) ?? from, 2 * dayMs)
  const cuts = [days[0] ?? from, ...days.slice(1).filter(() => random.below(2) === 0), end]
  const between = (name: string, one: Date, other: Date, isCorrection = false): File => ({
    name,
    told: random.shuffled(
      told.filter(
        ({ at, ...fact }) => at >= one && at < other && (isCorrection || !fact.isCorrection),
      ),
    ),
    from: one,
    to: other,
    isCorrection,
  })
  const parts = cuts.slice(1).map((to, index) => between(`part-${index}`, cuts[index] ?? from, to))
  const again = parts
    .filter(() => random.below(3) === 0)
    .map((one) => ({
      ...one,
      name: 'again',
      told: random.shuffled(one.told).slice(random.below(3)),
    }))
  const files = random.shuffled([...parts, ...again])
  const corrections = told.filter(({ isCorrection }) => isCorrection)
  const last = { name: 'corrections', told: corrections, from: cuts[0] ?? from, to: end }
  return [...files, { ...last, isCorrection: true }].filter((one) => one.told.length > 0)
}

/** How far a moment is from midnight. */
export function edgesOf(at: Date, timeZone: string): number {
  const since = at.getTime() - startOfDay(dayOf(at, timeZone), timeZone).getTime()
  return Math.min(since, dayMs - since)
}

// Files tell their moments as the clocks of this zone show them.
export const farZone = 'Asia/Kathmandu'
const farMs = 20_700_000

export function withFarMoment(one: Told): Told {
  const shown = after(new Date(one.line.moment), farMs).toISOString().slice(0, -1)
  return { ...one, line: { ...one.line, moment: shown } }
}

export function farMoment(shown: string): Date {
  return after(new Date(`${shown}Z`), -farMs)
}

export function withDay(one: Told, timeZone: string): Told {
  return { ...one, line: { ...one.line, moment: dayOf(new Date(one.line.moment), timeZone) } }
}
