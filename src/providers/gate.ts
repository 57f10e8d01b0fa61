import { monotonicMs } from '../kit/clock.ts'
import { openBreaker } from './breaker.ts'
import type { Reply } from './http.ts'
import { Recent } from './recent.ts'

/** How a provider does, for the service list, the metrics and whoever sits at the terminal. */
export interface ProviderStatus {
  /** `trying`: one call is let through to see whether the provider is back. */
  state: 'up' | 'down' | 'trying' | 'paused'
  inFlight: number
  /** Between 0 and 1, over the last five minutes; null without calls. */
  successRate: number | null
  /** 95 of 100 calls of the last five minutes took at most this; null without calls. */
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

// A call without an answer by then counts as failed, long before its deadline: only so is a
// provider that hangs noticed within five seconds.
const slowMs = 3000
const figuresMs = 300_000

/**
 * Stands before one provider: bounds what is under way, holds back what would fail, and counts.
 * Nothing here is shared between providers.
 */
export function openGate({ inFlightMax, isPaused, ask, onChange }: GateParts): Gate {
  const recent = new Recent()
  const breaker = openBreaker({ ask, onChange })
  let inFlight = 0

  function refusal(isOrder: boolean): string | undefined {
    if (isOrder && isPaused()) return 'paused by an operator'
    if (inFlight >= inFlightMax) return 'too much under way'
    return breaker.refusal()
  }

  /** The verdict may come before the answer, which is waited for all the same. */
  async function sendCounted(
    send: () => Promise<Reply>,
    isHealthy: (reply: Reply) => boolean,
  ): Promise<Reply> {
    const startMs = monotonicMs()
    const sentIn = breaker.begin()
    let isJudged = false
    const judge = (isGood: boolean) => {
      if (isJudged) return
      isJudged = true
      recent.countVerdict(isGood)
      breaker.judge(sentIn, isGood)
    }
    // When it was this process that stood still, answers that came meanwhile are read first.
    const timer = setTimeout(() => setImmediate(judge, false), slowMs)
    inFlight += 1
    try {
      const reply = await send()
      judge(isHealthy(reply))
      return reply
    } finally {
      clearTimeout(timer)
      // Only what never got that far is not judged yet.
      judge(false)
      inFlight -= 1
      recent.countDuration(monotonicMs() - startMs)
    }
  }

  return {
    pass: async (send, { isOrder, isHealthy }) => {
      const reason = refusal(isOrder)
      return reason === undefined ? sendCounted(send, isHealthy) : { kind: 'not_sent', reason }
    },
    isAvailable: () => refusal(true) === undefined,
    status: () => {
      const { good, bad, p95Ms } = recent.over(figuresMs)
      const successRate = good + bad === 0 ? null : good / (good + bad)
      return { state: isPaused() ? 'paused' : breaker.state(), inFlight, successRate, p95Ms }
    },
    close: () => breaker.close(),
  }
}
