import type { DeclineCause } from './contract.ts'

/** What a provider's status or error code means for an order. */
export type Meaning = 'pending' | 'succeeded' | DeclineCause

/**
 * A provider's status words or error codes, with the meaning of each. A code that is not in the
 * table means nothing: the outcome is then `unknown`.
 */
export type CodeTable<What extends string = Meaning> = Readonly<Record<string, What>>

/** What a code means, or undefined when the table does not list it. */
export function meaningOf<What extends string>(
  table: CodeTable<What>,
  code: string | null | undefined,
): What | undefined {
  // `Object.hasOwn`: inherited names such as "constructor" are not codes.
  return typeof code === 'string' && Object.hasOwn(table, code) ? table[code] : undefined
}
