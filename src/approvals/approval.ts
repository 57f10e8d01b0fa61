import type { Resolution } from '../transactions/resolve.ts'
import type { SeenPayment } from '../transactions/send-back.ts'
import type { Transaction } from '../transactions/transaction.ts'

export const approvalKinds = ['fund', 'withdraw', 'adjust', 'resolve', 'send_back'] as const

/** What moves money by hand. */
export type ApprovalKind = (typeof approvalKinds)[number]

/** What a person asks for; once it is proposed it never changes. */
export type Order =
  | { kind: 'fund' | 'withdraw'; clientId: number; amount: number; ref: string }
  | {
      kind: 'adjust'
      clientId: number
      amount: number
      /** The account on the other side, and whether the merchant gets or gives the money. */
      account: string
      isGiven: boolean
      ref: string
      reason: string
    }
  /** A proposal holds recharge codes sealed only. */
  | ({ kind: 'resolve' } & Resolution)
  | {
      kind: 'send_back'
      clientId: number
      id: string
      reason: string
      /** The payment that was seen; only this one is sent back. */
      expected?: SeenPayment
    }

export type ApprovalState = 'open' | 'approved' | 'refused' | 'expired'

export interface Approval {
  id: string
  kind: ApprovalKind
  clientId: number
  /** Whole francs, above zero. */
  amount: number
  order: Order
  /** What the proposer saw: a balance, or the state of a transaction. */
  seen: Record<string, string | number | null>
  state: ApprovalState
  proposedBy: string
  proposedAt: Date
  expiresAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  reason: string | null
  outcome: Record<string, unknown> | null
}

/** What was done, and what it has led to. */
export type Done =
  | { kind: 'fund' | 'withdraw' | 'adjust'; clientId: number; amount: number; available: number }
  | { kind: 'resolve' | 'send_back'; transaction: Transaction }
