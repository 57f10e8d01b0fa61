import type { Language } from '#base/kit/language.ts'
import { type StateOf, type TriggerOf, transitions } from '#data/db/transitions.ts'
import type { OperatorRole } from '#merchants/people/rights.ts'
import type { Resolution } from '#money/transactions/resolve.ts'
import type { SeenPayment } from '#money/transactions/send-back.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

export const approvalKinds = ['fund', 'withdraw', 'adjust', 'resolve', 'send_back'] as const

/** What moves money by hand. */
export type MoneyKind = (typeof approvalKinds)[number]

/**
 * And what else a second person decides: what a statement ends, its end, who may approve, and that
 * a payer's number is forgotten.
 */
export type ApprovalKind =
  | MoneyKind
  | 'suspend'
  | 'statement'
  | 'statement_withdrawal'
  | 'grant'
  | 'forget'

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
      /** By which the provider knows the payment that is meant. */
      reference?: string | undefined
      /** The payment that was seen; only this one is sent back. */
      expected?: SeenPayment
    }
  | {
      kind: 'statement'
      clientId: null
      /** Of the statement. */
      id: string
      name: string
      lines: number
      amount: number
      /** What its lines prove, in francs by client. */
      clients: Record<string, number>
      /** Fees and transfers alone: money of the gateway itself. */
      isOwn?: true
    }
  /** Money of a difference, by its id. */
  | { kind: 'suspend'; clientId: null; id: string; reason: string }
  /** Of a statement, by its id. */
  | { kind: 'statement_withdrawal'; clientId: null; id: string; name: string; reason: string }
  | ForgetOrder
  | {
      kind: 'grant'
      clientId: null
      email: string
      role: OperatorRole
      /** Who gives it: their mail address, and how the mail names them. */
      by: string
      name: string
      language: Language
    }

/** What two people have forgotten of a payer's number, which it must not hold itself. */
export interface ForgetOrder {
  kind: 'forget'
  clientId: null
  /** What will stand for the number. */
  pseudonym: string
  /** The places that have it: whose they are and where, by the rule that forgets them. */
  places: Record<string, [clientId: number, place: string][]>
  reason: string
}

/** Every change of its state. `alone`: done at once by one person, counts in the sums of a day. */
export const approvalSteps = transitions([
  ['(new)', 'proposed', 'open'],
  ['(new)', 'done', 'alone'],
  ['open', 'approved', 'approved'],
  ['open', 'refused', 'refused'],
  ['open', 'expired', 'expired'],
])

export type ApprovalState = StateOf<typeof approvalSteps>
export type ApprovalTrigger = TriggerOf<typeof approvalSteps>

export interface Approval {
  id: string
  kind: ApprovalKind
  /** Null: of no client alone. */
  clientId: number | null
  /** Whole francs. */
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
  | { kind: 'statement' | 'statement_withdrawal'; statementId: string }
  | { kind: 'suspend'; caseId: string }
  | { kind: 'forget'; pseudonym: string }
  /** The link of the invitation; null: they are an operator already. */
  | { kind: 'grant'; email: string; url: string | null }
