import { phone } from '../frame/components.ts'
import type { AnyVisit } from '../frame/visit.ts'

/** A text in which a number is masked for people who may not read it, with its country code. */
export function masked(visit: Pick<AnyVisit, 'may'>, text: string, number: string): string {
  if (visit.may('number.read') || number === '') return text
  const [last = '', ...others] = text.split(number).toReversed()
  const before = others.toReversed().map((part) => part.replace(/\+?\d*$/, ''))
  return [...before, last].join(phone(visit, number))
}
