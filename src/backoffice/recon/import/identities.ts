import { isPseudonym, type PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { StatementLine } from '#formats/statements/statement.ts'
import { nineDigitsOf } from '#merchants/catalog/phone-forms.ts'
import type { StoredLine } from './statement.ts'

/**
 * What a line is known by: the provider's reference with ours, which it is about, else ours, else
 * all that the line says. Lines that nothing names and that say the same, such as the fees of a
 * day, are numbered once their file is stored.
 */
export function identityOf(line: StatementLine): string {
  const { reference, ourReference, at, amount, sign, phone } = line
  const ours = ourReference === null ? '' : `o:${ourReference.toLowerCase()}`
  if (reference !== null) return `r:${reference} ${ours}`.trimEnd()
  return ours || `${unnamedMark}${at.toISOString()} ${sign * amount} ${phone ?? ''}`
}

/** How the identities of lines begin that nothing names. */
export const unnamedMark = 'x:'

/** What stands for the number in a line, in whichever form the provider writes it. */
export function pseudonymIn<Phone extends string | null>(
  phone: Phone,
  pseudonymOf: PseudonymOf,
): Phone | string {
  if (phone === null) return phone
  const pseudonym = pseudonymOf(nineDigitsOf(phone))
  return isPseudonym(pseudonym) ? pseudonym : phone
}

/** The identity of a line with another text in place of its number, which few identities have. */
export function identityWith(
  { identity, phone }: Pick<StoredLine, 'identity' | 'phone'>,
  other: string | null,
): string {
  if (!identity.startsWith(unnamedMark) || phone === null) return identity
  return identity.replace(` ${phone}`, () => ` ${other ?? ''}`)
}

/** The identity of a line as it is once its number is forgotten. */
export function lastingIdentity(
  line: Pick<StoredLine, 'identity' | 'phone'>,
  pseudonymOf: PseudonymOf,
): string {
  const isUnnamed = line.identity.startsWith(unnamedMark)
  return isUnnamed ? identityWith(line, pseudonymIn(line.phone, pseudonymOf)) : line.identity
}
