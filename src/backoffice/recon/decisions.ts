import type { Order } from '#backoffice/approvals/approval.ts'
import type { Tx } from '#data/db/db.ts'
import { followDecision } from './cases/mend.ts'
import { recordSuspense } from './cases/suspend.ts'
import type { ReconContext } from './context.ts'
import { recordWithdrawal } from './import/withdraw.ts'

type Asked = Pick<Extract<Order, { kind: 'suspend' }>, 'id' | 'reason'>

/** What approvals have this room do, in the database transaction of a decision. */
export function decisionsOf(context: Pick<ReconContext, 'clock' | 'pseudonymOf'>) {
  return {
    onDecided: followDecision,
    recordWithdrawal: (tx: Tx, order: Asked, actor: string) =>
      recordWithdrawal(context, tx, order, actor),
    recordSuspense: (tx: Tx, order: Asked, actor: string) =>
      recordSuspense(context, tx, order, actor),
  }
}
