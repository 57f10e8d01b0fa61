import { Refusal } from '../../catalog/refusal.ts'
import type { Language } from '../../kit/language.ts'
import type { Problems } from './fields.ts'
import { sentenceOf } from './words.ts'

/** What a refusal says, by field; anything else that was thrown is thrown on. */
export function problemsOf(thrown: unknown, language: Language): Problems {
  if (!(thrown instanceof Refusal)) throw thrown
  return Object.fromEntries(
    thrown.reasons.map((one) => [one.field ?? '', sentenceOf(one, language)]),
  )
}
