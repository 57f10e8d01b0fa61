import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Problems } from './fields.ts'
import { sentenceOf } from './words.ts'

/** What a refusal says, by field; anything else that was thrown is thrown on. */
export function problemsOf(thrown: unknown, language: Language): Problems {
  if (!(thrown instanceof Refusal)) throw thrown
  const byField = Map.groupBy(thrown.reasons, ({ field = '' }) => field)
  return Object.fromEntries(
    [...byField].map(([field, reasons]) => [
      field,
      reasons.map((one) => sentenceOf(one, language)).join(' · '),
    ]),
  )
}
