import type { DbParts, Tx } from '#data/db/db.ts'
import type { People } from '#merchants/people/open.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { Approval, ForgetOrder } from './approval.ts'

/** What the verbs of this room share. */
export interface ApprovalContext extends DbParts {
  transactions: Transactions
  people: { operators: Pick<People['operators'], 'recordGrant'> }
  /** Whole francs above which a second person decides; null: never. */
  approvalAbove: number | null
  /** For how many days somebody has to have the right to approve. */
  approverAge: number
  /** The base address of links in mails; final only once the gateway listens. */
  publicUrl(): string
  /** Told of each decision, in its database transaction. */
  onDecided(tx: Tx, decided: Approval): Promise<void>
  /** Records what lines of statements prove that were let pass; what is left, a sweeper does. */
  proveApproved(): Promise<void>
  /** Decides that a statement is withdrawn; refuses where something was done on its word. */
  recordWithdrawal(
    tx: Tx,
    order: { id: string; reason: string },
    actor: string,
  ): Promise<{ lines: number; cases: number; account: string; fees: number; transfers: number }>
  /** Forgets a payer's number at these places; refuses while one of them still needs it. */
  recordForgetting(tx: Tx, order: ForgetOrder, actor: string): Promise<{ places: number }>
  /** Books money that only a provider knows into suspense, with its difference. */
  recordSuspense(
    tx: Tx,
    order: { id: string; reason: string },
    actor: string,
  ): Promise<{ amount: number; account: string; reference: string }>
  /** Takes back what withdrawn statements told; what is left, a sweeper does. */
  takeBack(): Promise<unknown>
  /** Else mails are kept and not sent. */
  hasSmtp: boolean
}
