import { CircuitState, circuitBreaker, handleWhenResult } from 'cockatiel'
import { monotonicMs } from '../kit/clock.ts'
import type { Reply } from './http.ts'
import { Recent } from './recent.ts'

/** How a provider does, for the service list, the metrics and whoever sits at the terminal. */
export interface ProviderStatus {
  /** `trying`: the breaker lets one call through to see whether the provider is back. */
  state: 'up' | 'down' | 'trying' | 'paused'
  inFlight: number
  /** Between 0 and 1, over the last five minutes; null without calls. */
  successRate: number | null
  p95Ms: number | null
}

export interface Passage {
  /** New business, which a pause keeps out; what was taken before is followed up all the same. */
  isOrder: boolean
  /** Whether the provider works, whatever it says about this one order. */
  isHealthy(reply: Reply): boolean
}

export interface Gate {
  /** Sends, unless the provider is paused, down or has too much under way: then `not_sent`. */
  pass(send: () => Promise<Reply>, passage: Passage): Promise<Reply>
  /** Whether an order would be let through now. */
  isAvailable(): boolean
  status(): ProviderStatus
  close(): void
}

interface GateParts {
  inFlightMax: number
  /** Whether an operator keeps new orders away from this provider. */
  isPaused(): boolean
  /** A harmless question: any answer is a sign of life. */
  ask(): Promise<Reply>
  onChange(isUp: boolean): void
}

/*
 * A call without an answer after `slowMs` counts as failed then, not at its deadline: a provider that
 * hangs is noticed within `slowMs` and a second. The window is a little longer than that, so the
 * good answers from before are soon out of it. With three faults in ten, 20 calls fail by more than
 * 80 % once in two million times; ten in a row, once in 170,000, and then only over two seconds.
 */
const slowMs = 3000
const windowMs = 4000
const callsMin = 20
const badShareMax = 0.8
const badRunMin = 10
const badRunMs = 2000
// How long to wait before the next look at a provider that is down; the last one repeats.
const looksMs = [500, 1000, 2000, 4000, 8000, 15_000]
const figuresMs = 300_000

/**
 * Stands before one provider: bounds what is under way, and opens the circuit when it fails. While
 * it is open only a harmless question goes out now and then; after a sign of life one real call is
 * let through, and its answer decides. Nothing here is shared between providers.
 */
export function openGate(parts: GateParts): Gate {
  const recent = new Recent()
  let inFlight = 0
  let phase = newPhase()

  function isFailing(): boolean {
    const { good, bad } = phase.calls.over(windowMs)
    if (good + bad >= callsMin && bad > (good + bad) * badShareMax) return true
    return phase.badRun >= badRunMin && monotonicMs() - phase.goodMs >= badRunMs
  }
  const breaker = circuitBreaker(
    handleWhenResult((isGood) => isGood === false),
    {
      // The sign of life decides when, see `refusal`.
      halfOpenAfter: 0,
      breaker: { state: null, success: () => {}, failure: isFailing },
    },
  )
  const watch = watchForLife(parts.ask)
  breaker.onBreak(() => {
    phase = newPhase()
    watch.start()
    parts.onChange(false)
  })
  breaker.onReset(() => {
    phase = newPhase()
    watch.stop()
    parts.onChange(true)
  })

  function refusal(isOrder: boolean): string | undefined {
    if (isOrder && parts.isPaused()) return 'paused by an operator'
    if (breaker.state === CircuitState.HalfOpen) return 'down, being tried'
    if (breaker.state === CircuitState.Open && !watch.isAlive()) return 'down'
    if (inFlight >= parts.inFlightMax) return 'too much under way'
    return undefined
  }

  /** A verdict on a call from before the circuit last changed says nothing about the time since. */
  function judge(isGood: boolean, sentIn: Phase): boolean {
    recent.countVerdict(isGood)
    if (sentIn !== phase) return true
    phase.calls.countVerdict(isGood)
    if (isGood) phase.goodMs = monotonicMs()
    phase.badRun = isGood ? 0 : phase.badRun + 1
    return isGood
  }

  async function sendCounted(send: () => Promise<Reply>): Promise<Reply> {
    const startMs = monotonicMs()
    inFlight += 1
    try {
      return await send()
    } finally {
      inFlight -= 1
      recent.countDuration(monotonicMs() - startMs)
    }
  }

  return {
    pass: async (send, { isOrder, isHealthy }) => {
      const reason = refusal(isOrder)
      if (reason !== undefined) return { kind: 'not_sent', reason }
      const { promise, resolve } = Promise.withResolvers<Reply>()
      // The verdict may come before the answer, which is waited for all the same.
      breaker
        .execute(async () => {
          const sentIn = phase
          const reply = sendCounted(send)
          resolve(reply)
          return judge(await isSoonTrue(reply.then(isHealthy)), sentIn)
        })
        .catch(() => {})
      return promise
    },
    isAvailable: () => refusal(true) === undefined,
    status: () => {
      const { good, bad, p95Ms } = recent.over(figuresMs)
      const successRate = good + bad === 0 ? null : good / (good + bad)
      return { state: stateOf(breaker.state, parts.isPaused()), inFlight, successRate, p95Ms }
    },
    close: () => watch.stop(),
  }
}

/** What is known of the provider since the circuit last opened or closed. */
interface Phase {
  calls: Recent
  /** Failures since the last good answer. */
  badRun: number
  goodMs: number
}

function newPhase(): Phase {
  return { calls: new Recent(), badRun: 0, goodMs: monotonicMs() }
}

function stateOf(state: CircuitState, isPaused: boolean): ProviderStatus['state'] {
  if (isPaused) return 'paused'
  if (state === CircuitState.Closed) return 'up'
  return state === CircuitState.HalfOpen ? 'trying' : 'down'
}

/** What the promise says, or false when it says nothing for `slowMs`. */
async function isSoonTrue(verdict: Promise<boolean>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), slowMs)
  try {
    return await Promise.race([verdict, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks again and again, ever less often, until there is an answer. */
function watchForLife(ask: () => Promise<Reply>) {
  let isAlive = false
  let timer: NodeJS.Timeout | undefined
  let looks = 0

  async function look(round: NodeJS.Timeout | undefined): Promise<void> {
    const reply = await ask()
    if (timer !== round) return
    isAlive = reply.kind === 'answered' && reply.status < 500
    if (!isAlive) wait()
  }
  function wait(): void {
    const delayMs = looksMs[Math.min(looks, looksMs.length - 1)]
    looks += 1
    const round = setTimeout(() => void look(round), delayMs)
    round.unref()
    timer = round
  }
  return {
    isAlive: () => isAlive,
    /** Also after a trial that failed: the waits go on growing until `stop`. */
    start: () => {
      isAlive = false
      clearTimeout(timer)
      wait()
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
      looks = 0
    },
  }
}
