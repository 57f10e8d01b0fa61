import type { Mapping } from './mapping.ts'
import { lineKinds, lineStatuses } from './statement.ts'

const itself = <Word extends string>(words: readonly Word[]) =>
  Object.fromEntries(words.map((word) => [word, word])) as Record<string, Word>

/** Statements in our own words, such as the provider lab's. */
const plainWords: Mapping = {
  version: 1,
  columns: {
    at: 'moment',
    reference: 'reference',
    ourReference: 'our_reference',
    kind: 'kind',
    phone: 'number',
    amount: 'amount',
    fees: ['fee'],
    status: 'status',
  },
  dates: ['iso'],
  // A transfer and what is unlike all else have a sign before the amount.
  kinds: { ...itself(lineKinds), reverse: 'reverse-' },
  statuses: itself(lineStatuses),
  mayBeEmpty: ['fees'],
}

/** Mappings that are tried where none is given: the first whose titles a file has is used. */
export const builtIn: readonly Mapping[] = [plainWords]
