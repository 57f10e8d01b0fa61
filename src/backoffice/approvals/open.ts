import { lastId } from '#base/kit/ids.ts'
import { type Demand, needsSecondPerson } from './alone.ts'
import type { Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import { approve, expire, getApproval, refuse } from './decide.ts'
import { prepare } from './prepare.ts'
import { type Alongside, type Asker, request } from './propose.ts'
import { findApproval, listApprovals } from './store.ts'

/** What moves money by hand, with a second person where the amount needs one. */
export type Approvals = ReturnType<typeof openApprovals>

/** Opens the room. */
export function openApprovals(context: ApprovalContext) {
  const { db } = context
  return {
    request: (order: Order, asker: Asker, form?: string, alongside?: Alongside) =>
      request(context, order, asker, form, alongside),
    approve: (decision: { id: string; person: string }) => approve(context, decision),
    refuse: (decision: { id: string; person: string; reason: string }) => refuse(context, decision),
    expire: (now: Date) => expire(context, now),
    get: (id: string) => getApproval(context, id),
    /** Undefined: there is none with this id. */
    find: (id: string) => findApproval(db, id),
    /** What would be done, and what is seen now; refuses what cannot be. Changes nothing. */
    preview: (order: Order) => prepare(context, order),
    /** Newest first. */
    list: ({ isAll = false, below = lastId, limit }: ListRange) =>
      listApprovals(db, { isAll, below, limit }),
    /** Whether a second person would have to decide now. */
    needsSecondPerson: (demand: Demand) => needsSecondPerson(db, context, demand),
    /** Whole francs above which a second person decides; null: never. */
    above: context.approvalAbove,
  }
}

interface ListRange {
  isAll?: boolean
  below?: string
  limit: number
}
