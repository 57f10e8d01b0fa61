import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { nearest } from '#base/kit/nearest.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { feedLimitPattern } from '#edge/wire/pagination.ts'
import {
  billerAccountPattern,
  feedCursorPattern,
  oneTimeCodePattern,
  phonePattern,
} from '#edge/wire/patterns.ts'
import { countries } from '#merchants/catalog/countries.ts'
import { dialCodeOf, readPhone } from '#merchants/catalog/phone.ts'
import { withoutPunctuation } from '#merchants/catalog/phone-forms.ts'

interface SchemaPart {
  type?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  enum?: unknown[]
  anyOf?: { const?: unknown }[]
  properties?: Record<string, unknown>
}

// More than any body has fields; bounds the answer to a body with thousands of violations.
const reasonsMax = 100

// What the validator adds in its verbose mode: the schema that was broken, and the value.
type Violation = FastifySchemaValidationError & { parentSchema?: SchemaPart; data?: unknown }

/**
 * Turns the validator's errors into sentences, one per field, that say what the field must be
 * rather than which keyword of the schema it broke.
 */
export function describeViolations(violations: FastifySchemaValidationError[]): Reason[] {
  const reasons = new Map<string, Reason>()
  for (const violation of violations) {
    const found = describe(violation)
    const key = found.field ?? ''
    if (reasons.size === reasonsMax && !reasons.has(key)) break
    // The validator reports each branch of an anyOf, then the anyOf itself, which has all choices.
    if (!reasons.has(key) || 'choices' in found.values) reasons.set(key, found)
  }
  return [...reasons.values()]
}

function describe(violation: Violation): Reason {
  const path = violation.instancePath.slice(1).replaceAll('/', '.')
  const { parentSchema: schema = {}, data } = violation
  if (violation.keyword === 'required') {
    const missing = String(violation.params.missingProperty)
    return whatIsMissing(missing, path === '' ? missing : `${path}.${missing}`, schema, data)
  }
  if (path === '') return reason('The body must be a JSON object')
  if (schema.type === 'string' && schema.enum === undefined && typeof data === 'number')
    return reason('{field} was sent as a number: send it as text, in quotes', {}, path)
  if (isNumeric(schema) && typeof data === 'string' && wholeNumber.test(data))
    return reason('{field} was sent as text: send it as a number, without quotes', {}, path)
  if (schema.pattern === phonePattern) return whatNumber(data, path)
  return whatItMustBe(schema, path)
}

const wholeNumber = /^-?\d+(\.0*)?$/

function isNumeric({ type }: SchemaPart): boolean {
  return type === 'integer' || type === 'number'
}

/** Names the field that was probably meant, when an unknown one has nearly the same name. */
function whatIsMissing(missing: string, field: string, schema: SchemaPart, data: unknown): Reason {
  const known = schema.properties ?? {}
  const unknown = Object.keys(data ?? {}).filter((name) => !Object.hasOwn(known, name))
  const sent = nearest(missing, unknown)
  return sent === undefined
    ? reason('{field} is required', {}, field)
    : reason('{field} is required: you sent {sent}, did you mean {field}?', { sent }, field)
}

/** Names the country whose code a number has: it is none of the country that it was sent for. */
function whatNumber(data: unknown, field: string): Reason {
  const written = typeof data === 'string' ? data : ''
  const read = readPhone(written, Object.keys(countries))
  const dialCode = read.kind === 'phone' ? dialCodeOf(read.country) : ''
  const digits = withoutPunctuation(written).replace(/^(\+|00)/, '')
  if (read.kind !== 'phone' || digits.length <= 9 || !`+${digits}`.startsWith(dialCode))
    return reason('{field} must be exactly 9 digits, without country code', {}, field)
  return reason(
    '{field} has the code {dialCode} of {country}: send its 9 digits with a service of {country}',
    { dialCode, country: read.country },
    field,
  )
}

function whatItMustBe(schema: SchemaPart, field: string): Reason {
  const { type, minimum: min, maximum: max, minLength, maxLength, pattern } = schema
  const choices = schema.enum ?? schema.anyOf?.map((one) => one.const)
  if (choices?.every((choice) => choice !== undefined))
    return reason(
      '{field} must be one of {choices}',
      { choices: choices.map(String).join(', ') },
      field,
    )
  if (type === 'integer' && min !== undefined && max !== undefined)
    return reason('{field} must be a whole number from {min} to {max}', { min, max }, field)
  if (type === 'integer' && min !== undefined)
    return reason('{field} must be a whole number of at least {min}', { min }, field)
  if (type === 'integer') return reason('{field} must be a whole number', {}, field)
  if (type === 'number') return reason('{field} must be a number', {}, field)
  if (type === 'boolean') return reason('{field} must be true or false', {}, field)
  if (type === 'array') return reason('{field} must be an array', {}, field)
  if (pattern === billerAccountPattern)
    return reason('{field} must be 1 to 64 letters and digits', {}, field)
  if (pattern === feedLimitPattern) {
    const range = { min: 1, max: 1000 }
    return reason('{field} must be a whole number from {min} to {max}', range, field)
  }
  if (pattern === feedCursorPattern)
    return reason('{field} must be the cursor of an event, or start', {}, field)
  if (pattern === oneTimeCodePattern) return reason('{field} must be 4 to 8 digits', {}, field)
  if (type === 'string' && maxLength !== undefined)
    return reason(
      '{field} must be a string of {min} to {max} characters',
      { min: minLength ?? 0, max: maxLength },
      field,
    )
  if (type === 'string' && pattern === undefined)
    return reason('{field} must be a string', {}, field)
  return reason('{field} is not valid', {}, field)
}
