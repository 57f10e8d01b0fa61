import { after } from '#base/kit/clock.ts'
import type { DbParts } from '#data/db/db.ts'
import { firstRequestIdAt, isRequestId, lastRequestId } from '#edge/http/request-ids.ts'
import { findRequest, readRequests } from './store.ts'

/** How long a request can be looked up. */
const keptMs = 30 * 86_400_000

type Wanted = Parameters<typeof readRequests>[1]
type RequestRange = Omit<Wanted, 'after' | 'before'> & Partial<Wanted>

/** The requests of merchants' programs, as people look them up. */
export type Requests = ReturnType<typeof openRequests>

/** Opens the list; what is too old to be shown is not found. */
export function openRequests({ db, clock }: DbParts) {
  const oldest = () => oldestKept(clock.now())
  return {
    /** Newest first. */
    list: (range: RequestRange) =>
      readRequests(db, { after: oldest(), before: lastRequestId, ...range }),
    find: async (clientId: number, id: string) =>
      isRequestId(id) ? findRequest(db, { clientId, id, after: oldest() }) : undefined,
    /** The smallest id of a request that began after so long ago. */
    firstId: (agoMs: number) => firstRequestIdAt(after(clock.now(), -agoMs)),
  }
}

/** The smallest id of a request that is still shown. */
export function oldestKept(now: Date): string {
  return firstRequestIdAt(after(now, -keptMs))
}
