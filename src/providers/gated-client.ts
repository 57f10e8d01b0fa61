import type { Log } from '../log/log.ts'
import type { ProviderNames } from '../net/provider-names.ts'
import type { CallPolicy, ProviderLatency, ProviderStatus } from './gate.ts'
import { openGate } from './gate.ts'
import type { Call, Reply } from './http-client.ts'
import { openHttpClient } from './http-client.ts'

/** Sends one request of a connector through the gate of its provider. */
export type Send = (call: Call & Partial<CallPolicy>) => Promise<Reply>

/** An HTTP client of one provider, behind the gate of that provider. */
export interface GatedClient {
  send: Send
  /** Whether the gate would let an order through now. */
  isAvailable(): boolean
  status(): ProviderStatus
  latency: ProviderLatency
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
  const gate = openGate({
    inFlightMax,
    isPaused,
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
    latency: gate.latency,
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
