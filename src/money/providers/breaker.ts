import { monotonicMs } from '#base/kit/clock.ts'
import type { Reply } from './http-client.ts'
import { RecentCalls } from './recent-calls.ts'

export interface Breaker {
  /** Why no call is let through now; undefined when one is. */
  refusal(): string | undefined
  /** Starts a call that `refusal` let through; its result is reported with the phase returned. */
  begin(): Phase
  /** Whether the provider worked: called once for each call that began. */
  report(phase: Phase, isGood: boolean): void
  state(): State
  /** Milliseconds since it last opened or closed; since the start, if it never has. */
  stateMs(): number
  close(): void
}

/** Closed, open and half-open. `trying`: one call is in flight whose result decides. */
type State = 'up' | 'down' | 'trying'

interface BreakerParts {
  /** A request without side effects; any answer below 500 shows that the provider is reachable. */
  probe(): Promise<Reply>
  onChange(isUp: boolean): void
  /** A probe was answered: one real call is let through. */
  onAnswered(): void
}

/*
 * The window is a little longer than the time after which a call counts as failed, so that good
 * answers from before the fault soon leave it. At a failure rate of 30 %, 20 calls fail by more
 * than 80 % once in two million times; ten calls in a row fail once in 170,000 times, and then only
 * count when no good answer came for two seconds.
 */
const windowMs = 4000
const callsMin = 20
const badShareMax = 0.8
const badRunMin = 10
const badRunMs = 2000
// Delays before each probe of a provider that is down; the last one repeats.
const probeDelaysMs = [500, 1000, 2000, 4000, 8000, 15_000]

/**
 * A circuit breaker. It opens when a provider fails; while it is open only probes are sent. After a
 * probe is answered one real call is let through, and its result closes the breaker or opens it
 * again.
 */
export function openBreaker({ probe, onChange, onAnswered }: BreakerParts): Breaker {
  let state: State = 'up'
  let isOpen = false
  let changedMs = monotonicMs()
  let phase = newPhase()
  const prober = openProber(probe, onAnswered)

  function change(isUp: boolean): void {
    // After a failed trial it has been open all the time.
    if (isOpen === isUp) changedMs = monotonicMs()
    isOpen = !isUp
    state = isUp ? 'up' : 'down'
    phase = newPhase()
    if (isUp) prober.stop()
    else prober.start()
    onChange(isUp)
  }

  return {
    refusal: () => {
      if (state === 'trying') return 'down, being tested'
      return state === 'down' && !prober.isAnswered() ? 'down' : undefined
    },
    begin: () => {
      if (state === 'down') state = 'trying'
      return phase
    },
    report: (begun, isGood) => {
      // A call that began before the last change of state says nothing about the time since.
      if (begun !== phase) return
      count(phase, isGood)
      if (state === 'trying') change(isGood)
      else if (!isGood && isFailing(phase)) change(false)
    },
    state: () => state,
    stateMs: () => monotonicMs() - changedMs,
    close: () => prober.stop(),
  }
}

/** The calls since the breaker last opened or closed. */
interface Phase {
  calls: RecentCalls
  /** Failures since the last good answer. */
  badRun: number
  /** When the last good answer came, or the phase began. */
  lastGoodMs: number
}

function newPhase(): Phase {
  return { calls: new RecentCalls(), badRun: 0, lastGoodMs: monotonicMs() }
}

function count(phase: Phase, isGood: boolean): void {
  phase.calls.countResult(isGood)
  if (isGood) phase.lastGoodMs = monotonicMs()
  phase.badRun = isGood ? 0 : phase.badRun + 1
}

function isFailing({ calls, badRun, lastGoodMs }: Phase): boolean {
  const { good, bad } = calls.over(windowMs)
  if (good + bad >= callsMin && bad > (good + bad) * badShareMax) return true
  return badRun >= badRunMin && monotonicMs() - lastGoodMs >= badRunMs
}

/** Sends probes with growing delays until one is answered. */
function openProber(probe: () => Promise<Reply>, onAnswered: () => void) {
  let isAnswered = false
  let timer: NodeJS.Timeout | undefined
  let probes = 0

  async function sendProbe(scheduled: NodeJS.Timeout): Promise<void> {
    const reply = await probe()
    // Stopped or started again meanwhile: this reply no longer counts.
    if (timer !== scheduled) return
    isAnswered = reply.kind === 'answered' && reply.status < 500
    if (isAnswered) onAnswered()
    else schedule()
  }
  function schedule(): void {
    const scheduled = setTimeout(
      () => void sendProbe(scheduled),
      probeDelaysMs[Math.min(probes, probeDelaysMs.length - 1)],
    ).unref()
    probes += 1
    timer = scheduled
  }
  return {
    isAnswered: () => isAnswered,
    /** Also called after a failed trial: the delays go on growing until `stop`. */
    start: () => {
      isAnswered = false
      clearTimeout(timer)
      schedule()
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
      probes = 0
    },
  }
}
