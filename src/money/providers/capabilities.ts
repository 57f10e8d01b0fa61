import type { Capability } from './contract.ts'

// Wallets and operators answer within seconds; a later answer is looked for by a query.
const deadlineMs = 8000
const minuteMs = 60_000

/** Query delays for a provider that sends callbacks: queries only replace a missing callback. */
export const calledBackPollMs = [
  3000,
  3000,
  3000,
  3000,
  5000,
  10_000,
  20_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
]

/** What most protocols promise; each protocol overrides what differs. */
export const usualCapability: Capability = {
  idempotency: 'rejects',
  canFindByOurId: true,
  notFoundIsFinalAfterMs: 10 * minuteMs,
  payerStep: 'none',
  deadlineMs,
  pollMs: [1500, 2000, 3000, 5000, 10_000, 20_000, 30_000, minuteMs, 2 * minuteMs, 5 * minuteMs],
}
