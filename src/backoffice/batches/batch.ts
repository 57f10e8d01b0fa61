import type { Reason } from '#base/kit/refusal.ts'
import type { BatchState, LineState } from './transitions.ts'

/** Payouts from one file, approved and run together. */
export interface Batch {
  clientId: number
  id: string
  name: string
  fileName: string
  fileHash: string
  state: BatchState
  /** Who did what: a person, as an opaque text. */
  uploadedBy: string
  proposedBy: string | null
  approvedBy: string | null
  /** Why it is paused or was refused. */
  reason: Reason | null
  /** What is suspicious about the file as a whole. */
  warnings: Reason[]
  lines: number
  /** Lines with errors: while there are any it cannot be proposed. */
  faulty: number
  /** Of all lines without errors; what is approved, and so the most that is taken. */
  amount: number
  fee: number
  waiting: number
  /** On their way: nobody knows yet how they end. */
  open: number
  paid: number
  failed: number
  /** Lines that no transaction could be made of. */
  refused: number
  paidAmount: number
  /** Grows with every change that a page shows. */
  version: number
  changedAt: Date
  createdAt: Date
  completedAt: Date | null
  dueAt: Date | null
}

/** A line of a file that was uploaded. */
export interface BatchLine {
  line: number
  phone: string | null
  serviceCode: string | null
  amount: number | null
  fee: number | null
  name: string
  reference: string
  /** The merchant's own id. */
  externalId: string | null
  /** The cells of a line with errors, as they were typed. */
  given: Record<string, string> | null
  errors: Reason[]
  /** What is suspicious and not forbidden, such as the same payout in another batch. */
  warnings: Reason[]
  state: LineState
  attempt: number
  transactionId: string | null
  refusal: Reason[] | null
}

/** What identifies a batch. */
export interface BatchId {
  clientId: number
  id: string
}

/** A line that can be paid. */
export interface PayableLine extends BatchLine {
  phone: string
  serviceCode: string
  amount: number
  /** By the contract at the upload: what was approved, whatever the contract says later. */
  fee: number
}

/**
 * The external id of a line's transaction. It is derived and unique within a client, so however
 * often a line is sent, one transaction is made of it; only a retry after a failure has another.
 */
export function externalIdOf(batchId: string, line: Pick<BatchLine, LineKeys>): string {
  const base = line.externalId ?? `batch-${batchId}-${line.line}`
  return line.attempt === 1 ? base : `${base}-${line.attempt}`
}
type LineKeys = 'line' | 'externalId' | 'attempt'

/** The data that a line's transaction carries and its event shows: proof of where it comes from. */
export function customDataOf(
  batchId: string,
  { line, reference }: Pick<BatchLine, 'line' | 'reference'>,
): string {
  return JSON.stringify({ batchId, line, reference })
}
