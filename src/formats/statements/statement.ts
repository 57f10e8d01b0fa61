import type { Reason } from '#base/kit/refusal.ts'

/** What a line of a statement is about. `bill`: a bill or a meter; `other`: none of these. */
export const lineKinds = [
  'collect',
  'disburse',
  'reverse',
  'top_up',
  'bill',
  'fee',
  'transfer',
  'other',
] as const

export type LineKind = (typeof lineKinds)[number]

/** What a provider says has become of an order. */
export const lineStatuses = ['succeeded', 'failed', 'pending', 'reversed'] as const

export type LineStatus = (typeof lineStatuses)[number]

/** One line of a provider's statement, whatever its file looks like. */
export interface StatementLine {
  /** In the file, as a text editor or a spreadsheet program counts. */
  line: number
  at: Date
  /** The file tells no time: `at` is when the day begins. */
  isDay?: true | undefined
  /** The provider's. */
  reference: string | null
  /** The id that we gave the order. */
  ourReference: string | null
  kind: LineKind
  phone: string | null
  /** Whole francs above zero: what was ordered or moved. */
  amount: number
  /** 1: the provider holds more for us after it. */
  sign: 1 | -1
  /** Whole francs, not below zero: what the provider kept for this line. */
  fee: number
  status: LineStatus
  /** The running balance after it, where the file tells it. */
  balance: number | null
}

/** What is read from a file, in its order. */
export type StatementItem =
  | { kind: 'line'; line: StatementLine }
  | { kind: 'problem'; line: number; reason: Reason }
  | { kind: 'balance'; which: 'opening' | 'closing'; amount: number; at: Date }
  /** A line of the file that the mapping says is none of the statement, such as a total. */
  | { kind: 'skipped'; line: number; reason: Reason }
