import { phone } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'

/** A text in which a number is masked for people who may not read it, however it is written. */
export function masked(visit: Pick<Visit, 'may'>, text: string, number: string): string {
  return visit.may('number.read') || number === ''
    ? text
    : text.replaceAll(number, phone(visit, number))
}
