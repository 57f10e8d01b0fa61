import { nineDigitsOf } from '../../catalog/phone-forms.ts'
import type { PseudonymOf } from '../../sealing/pseudonym.ts'
import { isPseudonym } from '../../sealing/pseudonym.ts'
import type { StatementLine } from '../../statements/statement.ts'
import type { StoredLine } from './statement.ts'

/**
 * What the lines of one file are known by: the provider's reference, else ours, else all that they
 * say. Lines that nothing names and that say the same, such as the fees of a day, are told apart by
 * their number among those of their moment, which another file with these lines repeats.
 */
export class Identities {
  #at = Number.NaN
  readonly #seen = new Map<string, number>()

  of({ reference, ourReference, at, amount, sign, phone, kind }: StatementLine): string {
    if (reference !== null) return `r:${reference}`
    if (ourReference !== null) return `o:${ourReference}`
    // The moment before is forgotten: the memory must not grow with the file.
    if (at.getTime() !== this.#at) this.#seen.clear()
    this.#at = at.getTime()
    const said = `x:${at.toISOString()} ${sign * amount} ${phone ?? ''}`
    const number = (this.#seen.get(`${kind} ${said}`) ?? 0) + 1
    this.#seen.set(`${kind} ${said}`, number)
    return number === 1 ? said : `${said} ${number}`
  }
}

/** What stands for the number in a line, in whichever form the provider writes it. */
export function pseudonymIn<Phone extends string | null>(
  phone: Phone,
  pseudonymOf: PseudonymOf,
): Phone | string {
  return phone === null || isPseudonym(phone) ? phone : pseudonymOf(nineDigitsOf(phone))
}

/** The identity of a line with another text in place of its number, which few identities have. */
export function identityWith(
  { identity, phone }: Pick<StoredLine, 'identity' | 'phone'>,
  other: string | null,
): string {
  if (!identity.startsWith('x:') || phone === null) return identity
  return identity.replace(` ${phone}`, () => ` ${other ?? ''}`)
}
