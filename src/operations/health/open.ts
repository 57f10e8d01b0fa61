import { monotonicMs } from '#base/kit/clock.ts'
import { type HealthParts, type Overview, readBacklogs, readOverview } from './overview.ts'
import { readProviderStates } from './provider-states.ts'

/** What operators are shown of the gateway. */
export type Health = ReturnType<typeof openHealth>

// Pages that follow it ask every few seconds, and all of them get the same.
const keptMs = 1000

/** Opens the room: the state of providers, queues and proofs, over all processes. */
export function openHealth(parts: HealthParts) {
  let last: { atMs: number; overview: Promise<Overview> } | undefined
  return {
    /** Every provider as payers meet it now. */
    providers: () => readProviderStates(parts),
    /** The merchants that their events do not reach, at most 200. */
    backlogs: () => readBacklogs(parts, 200),
    /** Everything that the page of health shows, at most a second old. */
    overview: (): Promise<Overview> => {
      const atMs = monotonicMs()
      if (last === undefined || atMs - last.atMs >= keptMs)
        last = { atMs, overview: readOverview(parts) }
      return last.overview
    },
  }
}
