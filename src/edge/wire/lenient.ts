import { readPhone } from '#merchants/catalog/phone.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { phonePattern } from './patterns.ts'

export interface BodySchema {
  properties?: Record<string, { type?: string; pattern?: string }>
  required?: string[]
}

const wholeNumber = /^[0-9]{1,15}(\.0+)?$/
const writtenPhone = /^\+?[0-9](?:[ .\u00a0\u202f-]?[0-9]){7,17}$/

/**
 * Rewrites what is not in the schema's form but can mean one thing only: an optional field that
 * is null or empty is left out, a whole number as an external id is its digits, digits as an amount
 * are that amount, and a number may have spaces and the code of the service's country. What could
 * mean two things stays as it is, and is refused. In a change, an empty text empties a field.
 */
export function takeLeniently(
  body: Record<string, unknown>,
  { properties = {}, required = [] }: BodySchema,
  isChange: boolean,
): void {
  for (const name of Object.keys(body)) {
    const { [name]: value } = body
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (part === undefined) continue
    const isNothing = value === null || (value === '' && !isChange)
    if (isNothing && !required.includes(name)) delete body[name]
    else if (name === 'externalTransactionId' && isCount(value)) body[name] = String(value)
    else if (typeof value !== 'string') continue
    else if (part.type === 'integer' && wholeNumber.test(value)) body[name] = Number(value)
    else if (part.pattern === phonePattern && writtenPhone.test(value))
      body[name] = phoneOf(value, body.serviceCode)
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Nine digits are what they are, whatever they begin with. */
function phoneOf(text: string, serviceCode: unknown): string {
  const digits = text.replaceAll(/[^+0-9]/g, '')
  const service = typeof serviceCode === 'string' ? parseServiceCode(serviceCode) : undefined
  if (/^[0-9]{9}$/.test(digits) || service === undefined) return digits
  const read = readPhone(digits, [service.country])
  return read.kind === 'phone' ? read.phone : text
}
