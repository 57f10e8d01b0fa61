import { monotonicMs } from '../kit/clock.ts'
import { openBreaker } from './breaker.ts'
import type { Reply } from './http-client.ts'
import { RecentCalls } from './recent-calls.ts'

/** The health of a provider, for the service list, the metrics and the command line. */
export interface ProviderStatus {
  /** `trying`: one call is let through to see whether the provider works again. */
  state: 'up' | 'down' | 'trying' | 'paused'
  inFlight: number
  /** Between 0 and 1, over the last five minutes; null without calls. */
  successRate: number | null
  /** The 95th percentile of the durations of the last five minutes; null without calls. */
  p95Ms: number | null
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
export function openGate({ inFlightMax, isPaused, ...parts }: GateParts): Gate {
  const recent = new RecentCalls()
  const breaker = openBreaker(parts)
  let inFlight = 0

  function refusal(isOrder: boolean): string | undefined {
    if (isOrder && isPaused()) return 'paused by an operator'
    if (inFlight >= inFlightMax) return 'too much under way'
    return breaker.refusal()
  }

  /** Reports a slow call as failed before its answer arrives; the caller still gets the answer. */
  async function sendCounted(
    send: () => Promise<Reply>,
    isHealthy: (reply: Reply) => boolean,
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
      recent.countDuration(monotonicMs() - startMs)
    }
  }

  return {
    run: async (send, { isOrder, isHealthy }) => {
      const reason = refusal(isOrder)
      return reason === undefined
        ? sendCounted(send, isHealthy)
        : { kind: 'not_sent', reason, isHeldBack: true }
    },
    isAvailable: () => refusal(true) === undefined,
    status: () => {
      const { good, bad, p95Ms } = recent.over(statisticsMs)
      const successRate = good + bad === 0 ? null : good / (good + bad)
      return { state: isPaused() ? 'paused' : breaker.state(), inFlight, successRate, p95Ms }
    },
    close: () => breaker.close(),
  }
}
