import { after } from '#base/kit/clock.ts'
import type { DbParts } from '#data/db/db.ts'
import { type ConflictClosing, closeConflict } from './close-conflict.ts'
import { findConflict, readConflicts, readSuspense } from './conflict-store.ts'
import { readParked } from './timeline-store.ts'

const hourMs = 3_600_000

type Page = { after?: string | null; limit: number }

/** What waits for a person. */
export function openUnresolved({ db, clock }: DbParts) {
  return {
    /** Transactions that asking and repeating has not ended in an hour, oldest first. */
    parked: (page: Page) => readParked(db, { ...page, openSince: after(clock.now(), -hourMs) }),
    /** Facts that contradict what was decided, oldest first. */
    conflicts: (page: Page & { isAll?: boolean }) => readConflicts(db, page),
    findConflict: (id: string) => findConflict(db, id),
    closeConflict: (order: ConflictClosing) => closeConflict({ db, clock }, order),
    /** Money that providers received and that belongs to no open order, oldest first. */
    suspense: () => readSuspense(db),
  }
}
