import { Refusal } from '#base/kit/refusal.ts'
import type { DbParts } from '#data/db/db.ts'
import { type Making, untilCommitKnown, whileHeld } from '#data/db/making.ts'
import { sees, type Viewer } from '#merchants/clients/scope.ts'
import { newDelivery } from './announce.ts'
import type { BodySafe } from './body-safe.ts'
import type { DeliverySummary } from './operate-store.ts'
import { untilTried } from './outcomes.ts'
import { type EventTarget, findEventTargets, insertDeliveries, type Job } from './store.ts'

interface ReplayParts extends DbParts {
  safe: BodySafe
  deliver(jobs: Job[]): void
}

export interface Replay {
  /** Sends an event that the key sees to its address once more; returns the delivery's id. */
  replay(viewer: Viewer, eventId: string, making?: Making): Promise<string>
  /**
   * Sends those of these events that the key sees and that have an address; returns the ids of
   * their deliveries, in the order of the events.
   */
  replayAll(viewer: Viewer, eventIds: string[]): Promise<string[]>
  /** What became of such deliveries, once each has been tried or the time is over. */
  untilTried(viewer: Viewer, deliveryIds: string[], withinMs: number): Promise<DeliverySummary[]>
}

/** Events that are sent again: each to the address of its last delivery, else the client's. */
export function openReplay({ db, clock, safe, deliver }: ReplayParts): Replay {
  async function visibleTargets(viewer: Viewer, eventIds: string[]): Promise<EventTarget[]> {
    const targets = await findEventTargets(db, viewer.clientId, eventIds)
    return targets.filter((target) => sees(viewer, target))
  }

  /** Makes new deliveries of events that have an address, and starts them. */
  async function redeliver(
    clientId: number,
    targets: EventTarget[],
    making?: Making,
  ): Promise<string[]> {
    const now = clock.now()
    const jobs = targets.flatMap(({ id, recordId, body, isCompleted, url }) => {
      const event = { clientId, id, recordId, body, isCompleted }
      if (url === null) return []
      const delivery = newDelivery({ ...event, body: safe.open(event) }, url, now)
      return [making === undefined ? delivery : { ...delivery, id: making.id }]
    })
    if (jobs.length === 0) return []
    await untilCommitKnown(() =>
      db.transaction((tx) => whileHeld(tx, [making], () => insertDeliveries(tx, jobs, now))),
    )
    deliver(jobs)
    return jobs.map(({ id }) => id)
  }

  return {
    replay: async (viewer, eventId, making) => {
      const [target] = await visibleTargets(viewer, [eventId])
      if (target === undefined) throw new Refusal('not_found', 'No event found')
      if (target.url === null)
        throw new Refusal('conflict', 'This event has no address to be sent to')
      const [deliveryId = ''] = await redeliver(viewer.clientId, [target], making)
      return deliveryId
    },
    replayAll: async (viewer, eventIds) =>
      redeliver(viewer.clientId, await visibleTargets(viewer, eventIds)),
    untilTried: ({ clientId }, deliveryIds, withinMs) =>
      untilTried(db, clientId, deliveryIds, withinMs),
  }
}
