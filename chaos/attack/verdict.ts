import type { Finding } from '../experiment.ts'
import { quantile } from '../figures.ts'
import type { Latency } from '../latencies.ts'

/** What went on in a gateway while something was done. */
export interface Phase {
  name: string
  fromMs: number
  toMs: number
  /** The most that the thread was late in this time, as the gateway itself measured it. */
  lateMs: number
  /** What 99 of 100 of its turns were late by at most. */
  p99LateMs: number
  /** The part of this time that the thread which serves payments worked. */
  busyShare: number
  /** The part in which it was ready to and had no processor, as on a machine that others use. */
  waitedShare: number
  memoryMb: number
}

/** What one phase did to the payments of others. */
export interface Verdict {
  phase: Phase
  count: number
  p99Ms: number
  refused: number
  broken: number
  /** What is beyond its limit; empty: all holds. */
  faults: string[]
}

/** Of payments and of the thread: so much more than alone; of memory, and beside files: in all. */
const limits = { slowerMs: 250, laterMs: 250, memoryMb: 400, p99LateMs: 50 }

/** Judges phases of an attack by the payments of others in them, and by those of the time alone. */
export function judgePhases(phases: Phase[], alone: Phase[], answers: Latency[]): Verdict[] {
  const before = alone.map((phase) => figuresOf(phase, answers))
  const p99Max = Math.max(0, ...before.map(({ p99Ms }) => p99Ms)) + limits.slowerMs
  const lateMax = Math.max(0, ...alone.map(({ lateMs }) => lateMs)) + limits.laterMs
  return phases.map((phase) => {
    const figures = figuresOf(phase, answers)
    const { count, p99Ms, refused, broken } = figures
    const faults = [
      ...(count > 0 ? [] : ['no payment was answered']),
      ...(p99Ms <= p99Max ? [] : [`p99 above ${p99Max} ms`]),
      ...(phase.lateMs <= lateMax ? [] : [`late by more than ${lateMax.toFixed(0)} ms`]),
      ...(refused + broken === 0 ? [] : [`${refused + broken} payments got a 5xx`]),
    ]
    return { phase, ...figures, faults }
  })
}

function figuresOf({ fromMs, toMs }: Phase, answers: Latency[]) {
  const own = answers.filter(({ sentMs }) => sentMs >= fromMs && sentMs < toMs)
  const took = own.map(({ tookMs }) => tookMs)
  return {
    count: own.length,
    p99Ms: quantile(took, 0.99),
    refused: own.filter(({ status }) => status === 503).length,
    broken: own.filter(({ status }) => status >= 500 && status !== 503).length,
  }
}

const whole = (value: number) => value.toFixed(0)

export function describePhase({ phase, count, p99Ms, faults }: Verdict): Finding {
  const { name: what, busyShare, waitedShare, lateMs, p99LateMs, memoryMb } = phase
  const value =
    `p99 ${p99Ms} ms of ${count}, the thread busy for ${whole(100 * busyShare)} %, without a ` +
    `processor for ${whole(100 * waitedShare)} %, ` +
    `late by ${whole(p99LateMs)} (p99), ${whole(lateMs)} ms at most, ${whole(memoryMb)} MB`
  return { what, value: [value, ...faults].join('; '), isGood: faults.length === 0 }
}

/** What is done all day delays the thread less than a payer notices. */
export function judgeFiles(phases: Phase[]): Finding[] {
  return phases.map(({ name: what, p99LateMs, lateMs, waitedShare }) => ({
    what,
    value:
      `late by ${whole(p99LateMs)} ms (p99), ${whole(lateMs)} ms at most, ` +
      `without a processor for ${whole(100 * waitedShare)} %`,
    isGood: p99LateMs < limits.p99LateMs,
  }))
}

/** The memory of all phases. */
export function judgeMemory(phases: Phase[]): Finding {
  const most = Math.max(...phases.map(({ memoryMb }) => memoryMb))
  return { what: 'memory', value: `${whole(most)} MB`, isGood: most < limits.memoryMb }
}
