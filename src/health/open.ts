import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { readProviderStates } from './provider-states.ts'

export interface HealthParts {
  db: Db
  clock: Clock
}

/** What operators are shown of the gateway. */
export type Health = ReturnType<typeof openHealth>

/** Opens the room: the state of providers, queues and proofs, over all processes. */
export function openHealth(parts: HealthParts) {
  return {
    /** Every provider as payers meet it now. */
    providers: () => readProviderStates(parts),
  }
}
