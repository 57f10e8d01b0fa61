import { monotonicMs } from '#base/kit/clock.ts'
import { openBreaker } from './breaker.ts'
import type { Reply } from './http-client.ts'
import { type CallFigures, RecentCalls } from './recent-calls.ts'

/** The health of a provider as this process knows it. */
export interface ProviderStatus {
  /** `trying`: one call is let through to see whether the provider works again. */
  state: 'up' | 'down' | 'trying'
  /** How long it has been up, or not. */
  stateMs: number
  isPaused: boolean
  inFlight: number
  /** The calls of the last five minutes. */
  calls: CallFigures
}

/** How the gate treats one call. */
export interface CallPolicy {
  /** A new order, which a pause turns away. Other calls follow up orders that were sent before. */
  isOrder: boolean
  /** Whether a reply shows that the provider works, whatever it says about this one order. */
  isHealthy(reply: Reply): boolean
}

export interface Gate {
  /** Runs `send`. A provider that is paused, down or at its cap gets nothing: `not_sent`. */
  run(send: () => Promise<Reply>, policy: CallPolicy): Promise<Reply>
  /** Whether an order would be let through now. */
  isAvailable(): boolean
  status(): ProviderStatus
  close(): void
}

interface GateParts {
  inFlightMax: number
  /** Whether an operator has paused new orders to this provider. */
  isPaused(): boolean
  /** How long a call took, for metrics. */
  measure(isOrder: boolean, seconds: number): void
  /** A request without side effects; any answer below 500 shows that the provider is reachable. */
  probe(): Promise<Reply>
  onChange(isUp: boolean): void
  /** The provider, which was down, has answered a probe: a call would be let through. */
  onAnswered(): void
}

// A call without an answer by then counts as failed, long before its deadline. Otherwise a provider
// that hangs would not be noticed within five seconds.
const slowMs = 3000
const statisticsMs = 300_000

/**
 * Admission control for one provider: a cap on calls in flight, a circuit breaker, an operator's
 * pause, and statistics. Providers share none of it.
 */
export function openGate({ inFlightMax, isPaused, measure, ...parts }: GateParts): Gate {
  const recent = new RecentCalls()
  const breaker = openBreaker(parts)
  let inFlight = 0

  function refusal(isOrder: boolean): string | undefined {
    if (isOrder && isPaused()) return 'paused by an operator'
    if (inFlight >= inFlightMax) return 'too many requests in progress'
    return breaker.refusal()
  }

  /** Reports a slow call as failed before its answer arrives; the caller still gets the answer. */
  async function sendCounted(
    send: () => Promise<Reply>,
    { isOrder, isHealthy }: CallPolicy,
  ): Promise<Reply> {
    const startMs = monotonicMs()
    const phase = breaker.begin()
    let isReported = false
    const report = (isGood: boolean) => {
      if (isReported) return
      isReported = true
      recent.countResult(isGood)
      breaker.report(phase, isGood)
    }
    // After a stall of this process, setImmediate lets answers that already arrived be read first.
    const timer = setTimeout(() => setImmediate(report, false), slowMs)
    inFlight += 1
    try {
      const reply = await send()
      report(isHealthy(reply))
      return reply
    } finally {
      clearTimeout(timer)
      // Has an effect only when `send` or `isHealthy` threw.
      report(false)
      inFlight -= 1
      const tookMs = monotonicMs() - startMs
      recent.countDuration(tookMs)
      measure(isOrder, tookMs / 1000)
    }
  }

  return {
    run: async (send, policy) => {
      const reason = refusal(policy.isOrder)
      return reason === undefined
        ? sendCounted(send, policy)
        : { kind: 'not_sent', reason, isHeldBack: true }
    },
    isAvailable: () => refusal(true) === undefined,
    status: () => {
      const calls = recent.over(statisticsMs)
      const state = breaker.state()
      return { state, stateMs: breaker.stateMs(), isPaused: isPaused(), inFlight, calls }
    },
    close: () => breaker.close(),
  }
}
