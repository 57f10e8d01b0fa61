import { Refusal } from '#base/kit/refusal.ts'

/** Refuses an invalid identifier. Its length is counted in characters, as for external ids. */
export function checkIdentifier(text: string): void {
  if (!/^\P{Cc}{1,128}$/u.test(text))
    throw new Refusal(
      'validation_failed',
      'The identifier must be 1 to 128 characters, without control characters',
    )
}
