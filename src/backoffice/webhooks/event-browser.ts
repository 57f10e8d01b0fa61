import type { Db } from '#data/db/db.ts'
import type { BodySafe } from './body-safe.ts'
import {
  findEvent,
  findEventOwner,
  readEventIds,
  readEventWindow,
  type StoredEvent,
} from './operate-store.ts'
import { readPositions } from './store.ts'

/** The types of events by which they can be filtered, as their bodies name them. */
export const eventTypes = ['CASHOUT', 'CASHIN', 'AIRTIME', 'BILL', 'REFUND', 'PAYMENT'] as const

export type EventType = (typeof eventTypes)[number]

interface EventPage {
  events: StoredEvent[]
  /** The position before which to look on; null: at the beginning of the history. */
  next: number | null
}

// A page looks through so many events at most, also when few are of the type: positions have no
// gaps, so that the work is bounded, and `next` goes on from there.
const windowSize = 5000

export interface EventBrowser {
  page(list: {
    clientId: number
    type: EventType | null
    before: number | null
    limit: number
  }): Promise<EventPage>
  find(clientId: number, id: string): Promise<StoredEvent | undefined>
  /** An event of whichever client, for operators. */
  findOfAll(id: string): Promise<{ clientId: number; id: string; body: string } | undefined>
  /** The ids of those between two times, by position: not delivered ones, or all. */
  idsIn(range: Parameters<typeof readEventIds>[1]): Promise<string[]>
}

/** Looks through a client's events, newest first; bodies are as they were sent. */
export function openEventBrowser({ db, safe }: { db: Db; safe: BodySafe }): EventBrowser {
  const opened = (event: StoredEvent) => ({ ...event, body: safe.open(event) })
  return {
    page: async ({ clientId, type, before, limit }) => {
      const end = before ?? ((await readPositions(db, [clientId])).get(clientId) ?? 0) + 1
      const from = Math.max(1, end - windowSize)
      const rows = await readEventWindow(db, {
        clientId,
        before: end,
        from,
        ...conditionOf(type),
        limit: limit + 1,
      })
      const events = rows.slice(0, limit)
      const last = rows.length > limit ? (events.at(-1)?.position ?? from) : from
      return { events: events.map(opened), next: last > 1 ? last : null }
    },
    find: async (clientId, id) => {
      const found = await findEvent(db, clientId, id)
      return found && opened(found)
    },
    findOfAll: async (id) => {
      const found = await findEventOwner(db, id)
      return found && { ...found, body: safe.open(found) }
    },
    idsIn: (range) => readEventIds(db, range),
  }
}

/** Bodies with recharge codes are sealed; only those of bills are. */
function conditionOf(type: EventType | null) {
  const isSealedToo = type === 'BILL'
  if (type === null) return { recordKind: null, text: '', isSealedToo }
  if (type === 'PAYMENT') return { recordKind: 'link', text: '', isSealedToo }
  return { recordKind: 'transaction', text: `"transactionType":"${type}"`, isSealedToo }
}
