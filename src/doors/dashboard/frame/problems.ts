import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Problems } from './fields.ts'
import { sentenceOf } from './words.ts'

/** Thrown where what was typed cannot be read, with a sentence for each field. */
export class WrongFields extends Error {
  readonly problems: Problems

  constructor(problems: Problems) {
    super(Object.values(problems).join(' · '))
    this.problems = problems
  }
}

/** What a refusal says, by field; anything else that was thrown is thrown on. */
export function problemsOf(thrown: unknown, language: Language): Problems {
  if (thrown instanceof WrongFields) return thrown.problems
  if (!(thrown instanceof Refusal)) throw thrown
  const byField = Map.groupBy(thrown.reasons, ({ field = '' }) => field)
  return Object.fromEntries(
    [...byField].map(([field, reasons]) => [
      field,
      reasons.map((one) => sentenceOf(one, language)).join(' · '),
    ]),
  )
}
