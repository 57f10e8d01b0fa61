import type { Body, Call } from './router.ts'

/** The text of a field; '' when it is not a text. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The value of a header; '' when it is missing. */
export function header(call: Call, name: string): string {
  return text(call.headers[name])
}

/** The object of a field; {} when it is not an object. */
export function object(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {}
}

/** Whole francs from `"200"` or `"200.00"`; undefined for anything else. */
export function amountOfText(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^[1-9][0-9]{0,11}(\.0{1,4})?$/.test(value)) return undefined
  return Number(value)
}

/** Whole francs from a number, or from text; undefined for anything else. */
export function amountOf(value: unknown): number | undefined {
  return amountOfText(typeof value === 'number' ? String(value) : value)
}

/** The last nine digits of a number, which choose its scenario. */
export function lastNineDigits(number: string): string {
  return number.replaceAll(/\D/g, '').slice(-9)
}

/** Whether a text is a phone number, with or without the country code. */
export function isPhone(number: string): boolean {
  return /^\+?[0-9]{9,15}$/.test(number)
}

/** Whether a text is an absolute http or https URL. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
