import type { Party } from '../import/statement.ts'

/** How a statement and our records can differ. */
export const caseKinds = [
  'ours_only',
  'theirs_only',
  'amount',
  'status',
  'fee',
  'day',
  'duplicate',
] as const

export type CaseKind = (typeof caseKinds)[number]

/** `waiting`: a second person decides what one proposed. */
export const caseStates = ['open', 'waiting', 'closed'] as const

export type CaseState = (typeof caseStates)[number]

/** How a case was closed; `explained`: by a later statement; `withdrawn`: with its own. */
export type Closing =
  | 'resolved'
  | 'sent_back'
  | 'adjusted'
  | 'ignored'
  | 'explained'
  | 'suspended'
  | 'withdrawn'

/** What one side says; what it does not say is absent. */
export interface Side {
  amount?: number
  fee?: number
  status?: string
  at?: string
  /** Of which only the day is told. */
  isDay?: boolean
  reference?: string | null
  phone?: string | null
  kind?: string
}

/** A difference between a statement and our records. */
export interface Case extends Party {
  id: string
  statementId: string
  /** The name of the statement's file. */
  statementName: string
  /** Null: no line, only we know of it. */
  line: number | null
  kind: CaseKind
  state: CaseState
  clientId: number | null
  transactionId: string | null
  /** What the statement has more than we have, in francs; below zero: less. */
  amount: number
  /** The same without what people have moved for it; null: nothing was. */
  difference: number | null
  /** What that was when a person decided about it. */
  decided: number | null
  details: {
    theirs?: Side
    ours?: Side
    /** What an earlier line said of the same. */
    earlier?: Side
    /** What the gateway made of the contradiction, and the statement that told it. */
    conflictId?: string
    conflictOf?: string
  }
  /** Who looks into it. */
  person: string | null
  approvalId: string | null
  openedAt: Date
  closedAt: Date | null
  closedBy: string | null
  closing: Closing | null
  reason: string | null
  version: number
}

export interface Note {
  id: string
  at: Date
  person: string
  text: string
}

/** Which cases are wanted; absent: any. */
export interface CaseFilter {
  state?: CaseState | undefined
  /** Only those that are not closed. */
  isUnclosed?: boolean | undefined
  kind?: CaseKind | undefined
  provider?: string | undefined
  country?: string | undefined
  statementId?: string | undefined
  person?: string | undefined
  /** Opened not before the first and before the second. */
  openedFrom?: Date | undefined
  openedBefore?: Date | undefined
  /** A reference, an id or a number, as a whole. */
  text?: string | undefined
  /** What stands for that number once it is forgotten. */
  pseudonym?: string | undefined
}

/** The ways to mend a difference, as addresses and the command line name them. */
export const ways = ['success', 'failed', 'send_back', 'suspend', 'adjust', 'ignore'] as const

export type Way = (typeof ways)[number]

/** How a difference is mended. */
export type Mending =
  /** Ends its transaction as the statement proves it. */
  | { how: 'resolve'; as: 'success' | 'failed'; reason: string }
  /** Sends the money of its transaction that is in suspense back to the payer. */
  /** Books what only the provider knows into suspense, or out of it again. */
  | { how: 'suspend'; reason: string }
  | { how: 'send_back'; reason: string; expected?: { amount: number; reference: string } }
  /** Corrects the balance of a merchant against the provider's account or our fees. */
  | {
      how: 'adjust'
      clientId: number
      /** Whole francs above zero. */
      amount: number
      /** Whether the merchant gets or gives them. */
      isGiven: boolean
      /** `fees`, or the account of the provider, which is meant unless it is given. */
      account?: string | undefined
      reason: string
    }
  | { how: 'ignore'; reason: string }

/** The ages by which open cases are counted. */
export const ageNames = ['day', 'three_days', 'week', 'month', 'older'] as const

export interface Age {
  /** Not older than a day, three days, a week, thirty days, or older. */
  age: (typeof ageNames)[number]
  kind: CaseKind
  count: number
  /** The sum of the amounts at stake, whatever their direction. */
  amount: number
}
