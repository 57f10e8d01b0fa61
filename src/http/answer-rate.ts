import { performance } from 'node:perf_hooks'
import { monotonicMs } from '../kit/clock.ts'

// Short beside the patience, and long enough that looking costs nothing.
const lookMs = 250
// A burst that is answered within it is no overload.
const patienceMs = 1000
// More than this share of the time without work, and the process would serve more.
const idleShare = 0.05
// While it would serve more, it may have twice as much in progress after each look; beyond this
// factor, any number. Without such steps a pause of an instant would let in thousands.
const slackMax = 16
const averageMs = 2000
// Fewer would not fill a batch of statements, and more would be refused after any pause.
const least = 256

interface Machine {
  nowMs: () => number
  /** For how long the event loop has had nothing to do, since the start. */
  idleMs: () => number
}

const ours: Machine = {
  nowMs: monotonicMs,
  idleMs: () => performance.eventLoopUtilization().idle,
}

/**
 * How many requests a process that is never idle answers in some time. A process that has more in
 * progress cannot answer a further one within that time. It would not even refuse it then: the
 * request waits unread until the work that each of the others needs at that moment is done.
 *
 * Time is the measure, and not a number of requests, since a process on a slow or shared processor
 * answers a tenth of what another one does.
 */
export class AnswerRate {
  readonly #machine: Machine
  #lookedMs: number
  #idleMs: number
  /** How long it has been busy without a pause, when that was last looked at. */
  #busyMs = 0
  #answered = 0
  #perSecond = 0
  /** By how much more it may have in progress than it answers in time. */
  #slack = Infinity

  constructor(machine: Machine = ours) {
    this.#machine = machine
    this.#lookedMs = machine.nowMs()
    this.#idleMs = machine.idleMs()
  }

  countAnswer(): void {
    this.#answered += 1
  }

  /** What it answers in that time; more after pauses, Infinity if it has not been busy for long. */
  answersIn(ms: number): number {
    const passedMs = this.#machine.nowMs() - this.#lookedMs
    if (passedMs >= lookMs) this.#look(passedMs)
    return this.#slack * Math.max(least, (this.#perSecond * ms) / 1000)
  }

  #look(passedMs: number): void {
    const idleMs = this.#machine.idleMs()
    const isBusy = idleMs - this.#idleMs <= idleShare * passedMs
    this.#busyMs = isBusy ? this.#busyMs + passedMs : 0
    if (!isBusy) this.#slack *= 2 ** (passedMs / lookMs)
    else if (this.#slack <= slackMax || this.#busyMs >= patienceMs) this.#slack = 1
    if (this.#slack > slackMax) this.#slack = Infinity
    const perSecond = (this.#answered * 1000) / passedMs
    // The mean since it is busy; later, mostly that of the last two seconds.
    const weight = isBusy ? passedMs / Math.min(this.#busyMs, passedMs + averageMs) : 1
    this.#perSecond += weight * (perSecond - this.#perSecond)
    this.#lookedMs += passedMs
    this.#idleMs = idleMs
    this.#answered = 0
  }
}
