import type { FrancsProblem } from './read-francs.ts'

/**
 * An `xs:decimal` that is not negative, in whole francs, in every way that it may be written: with
 * neither groups nor an exponent.
 */
export function readXmlFrancs(text: string): number | FrancsProblem {
  const [, sign, zerosAndDigits = '', fraction = ''] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  if (zerosAndDigits + fraction === '') return 'unreadable'
  const digits = zerosAndDigits.replace(/^0+/, '')
  if (digits.length > 15) return 'unreadable'
  if (/[1-9]/.test(fraction)) return 'cents'
  const francs = Number(digits)
  return sign === '-' && francs > 0 ? 'unreadable' : francs
}
