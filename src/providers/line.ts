import type { Log } from '../kit/log.ts'
import type { Passage, ProviderStatus } from './gate.ts'
import { openGate } from './gate.ts'
import type { Call, Reply } from './http.ts'
import { openHttpClient } from './http.ts'

/** How a connector sends: a request, and what the gate needs to know of it. */
export type Send = (call: Call & Partial<Passage>) => Promise<Reply>

export interface Line {
  send: Send
  isAvailable(): boolean
  status(): ProviderStatus
  close(): void
}

interface LineParts {
  /** For the log: `WALLETA_SN`. */
  name: string
  baseUrl: string
  /** Where a harmless question can be put, to see whether anybody answers. */
  probePath: string
  isPaused(): boolean
  log: Log
}

// Providers limit connections; what waits for one is bounded too, and was provably not sent.
const connectionsMax = 64
const inFlightMax = 512
const probeDeadlineMs = 2000

/** The way to one provider: its own connections behind its own gate. */
export function openLine({ name, baseUrl, probePath, isPaused, log }: LineParts): Line {
  const client = openHttpClient(baseUrl, connectionsMax)
  const gate = openGate({
    inFlightMax,
    isPaused,
    ask: () => client.call({ method: 'GET', path: probePath, deadlineMs: probeDeadlineMs }),
    onChange: (isUp) => {
      if (isUp) log.info({ provider: name }, 'a provider is back')
      else log.warn({ provider: name }, 'a provider is down: its calls are held back')
    },
  })
  return {
    send: ({ isOrder = false, isHealthy = isAlive, ...call }) =>
      gate.pass(() => client.call(call), { isOrder, isHealthy }),
    isAvailable: () => gate.isAvailable(),
    status: () => gate.status(),
    close: () => {
      gate.close()
      client.close()
    },
  }
}

/** A provider that refuses an order works; one that cannot answer, or asks for a rest, does not. */
export function isAlive(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status < 500 && reply.status !== 429
}
