import { phone } from '../frame/components.ts'
import type { AnyVisit } from '../frame/visit.ts'

// In a body of ours, and in an answer that repeats one, also as a form or as text in JSON.
const balance = /(BALANCE\\*"?\s*[:=]\s*\\*"?)-?\d+/gi

/**
 * A text as somebody may read it: without a number, with its country code, and without the
 * merchant's balance, for people of the merchant who may not.
 */
export function masked(
  visit: Pick<AnyVisit, 'may' | 'client'>,
  text: string,
  number: string,
): string {
  const hidesBalance = visit.client !== null && !visit.may('balance.read')
  const shown = hidesBalance ? text.replaceAll(balance, '$1…') : text
  if (visit.may('number.read') || number === '') return shown
  const [last = '', ...others] = shown.split(number).toReversed()
  const before = others.toReversed().map((part) => part.replace(/\+?\d*$/, ''))
  return [...before, last].join(phone(visit, number))
}
