import { Histogram } from '@prometheus-io/client'
import type { Log } from '#base/log/log.ts'
import type { ProviderNames } from '#base/net/provider-names.ts'
import { type CallPolicy, openGate, type ProviderStatus } from './gate.ts'
import { type Call, openHttpClient, type Reply } from './http-client.ts'

/** Sends one request of a connector through the gate of its provider. */
export type Send = (call: Call & Partial<CallPolicy>) => Promise<Reply>

/** An HTTP client of one provider, behind the gate of that provider. */
export interface GatedClient {
  send: Send
  /** Whether the gate would let an order through now. */
  isAvailable(): boolean
  status(): ProviderStatus
  close(): void
}

interface GatedClientParts {
  /** For the log: `WALLETA_SN`. */
  name: string
  baseUrl: string
  /** A path without side effects, requested to see whether the provider answers again. */
  probePath: string
  isPaused(): boolean
  /** Called when the provider, which was down, can be called again. */
  onBack?: () => void
  log: Log
  /** Left out: each connection resolves the provider's host by itself. */
  names?: ProviderNames
}

// Providers limit connections. The queue for a connection is bounded too: what the gate turns away
// was provably not sent.
const connectionsMax = 64
const inFlightMax = 512
const probeDeadlineMs = 2000

/** How long the calls of this process took; for metrics. */
export const providerCalls = new Histogram({
  name: 'passerelle_provider_call_duration_seconds',
  help: 'Time of calls to providers: orders, and all others',
  labelNames: ['provider', 'call'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 15],
  registers: [],
})

/** Opens connections and a gate for one provider; no other provider shares them. */
export function openGatedClient({
  name,
  baseUrl,
  probePath,
  isPaused,
  onBack = () => {},
  log,
  names,
}: GatedClientParts): GatedClient {
  const client = openHttpClient(baseUrl, connectionsMax, names)
  const durationOf = (call: string) => {
    providerCalls.zero({ provider: name, call })
    return providerCalls.labels({ provider: name, call })
  }
  const [orders, others] = [durationOf('order'), durationOf('other')]
  const gate = openGate({
    inFlightMax,
    isPaused,
    measure: (isOrder, seconds) => (isOrder ? orders : others).observe(seconds),
    probe: () => client.call({ method: 'GET', path: probePath, deadlineMs: probeDeadlineMs }),
    onChange: (isUp) => {
      if (isUp) {
        log.info({ provider: name }, 'a provider is back')
        onBack()
      } else log.warn({ provider: name }, 'a provider is down: its calls are held back')
    },
    onAnswered: onBack,
  })
  return {
    send: ({ isOrder = false, isHealthy = isHealthyReply, ...call }) =>
      gate.run(() => client.call(call), { isOrder, isHealthy }),
    isAvailable: () => gate.isAvailable(),
    status: () => gate.status(),
    close: () => {
      gate.close()
      client.close()
    },
  }
}

/** A refused order is a healthy reply; no answer, a server error or HTTP 429 is not. */
export function isHealthyReply(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status < 500 && reply.status !== 429
}
