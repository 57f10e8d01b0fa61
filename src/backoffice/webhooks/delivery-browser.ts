import type { Db } from '#data/db/db.ts'
import {
  countBacklogOf,
  findDeliveries,
  readAttempts,
  readDeliveries,
  readDeliveriesOfEvent,
} from './operate-store.ts'

/** Looks through a client's deliveries, newest first. */
export function openDeliveryBrowser(db: Db) {
  return {
    list: (range: Parameters<typeof readDeliveries>[1]) => readDeliveries(db, range),
    find: (clientId: number, ids: string[]) => findDeliveries(db, clientId, ids),
    ofEvent: (clientId: number, eventId: string) => readDeliveriesOfEvent(db, clientId, eventId),
    /** Every try to deliver an event, oldest first. */
    triesOf: (event: { clientId: number; id: string }) => readAttempts(db, event),
    /** What waits for a try, and what was given up since a time; each counted up to 1,000. */
    backlogOf: (clientId: number, since: Date) => countBacklogOf(db, clientId, since),
  }
}
