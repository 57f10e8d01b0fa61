import { Refusal } from '../catalog/refusal.ts'

/** Refuses what cannot be the identifier of anything; counted in characters, as ids are. */
export function checkIdentifier(text: string): void {
  if (!/^\P{Cc}{1,128}$/u.test(text))
    throw new Refusal('validation_failed', 'The identifier must be 1 to 128 characters')
}
