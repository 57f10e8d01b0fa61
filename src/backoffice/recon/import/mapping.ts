import type { LineKind } from '#formats/statements/statement.ts'
import type { StoredLine } from './statement.ts'

/** The fee that a provider is to take for a line: basis points of the amount, and fixed francs. */
export interface FeeTerm {
  basisPoints: number
  fixed: number
}

/** By kind of line; the fees of other kinds are not compared. */
export type FeeTerms = Partial<Record<LineKind, FeeTerm>>

/** How the files of a provider are read, and which fees it is to take. */
export interface StoredMapping {
  provider: string
  country: string
  /** As src/formats/statements has it; null: its files are understood by themselves. */
  content: unknown
  fees: FeeTerms | null
  changedBy: string
  changedAt: Date
}

/** The fee that a line is to have, rounded as our own fees are; undefined: it is not compared. */
export function expectedFee(
  terms: FeeTerms | undefined,
  { kind, amount }: Pick<StoredLine, 'kind' | 'amount'>,
): number | undefined {
  const term = terms?.[kind]
  if (term === undefined) return undefined
  return Math.floor((amount * term.basisPoints + 5000) / 10_000) + term.fixed
}
