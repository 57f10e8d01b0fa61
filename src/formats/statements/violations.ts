import { type Reason, reason } from '#base/kit/refusal.ts'

/** What is used of JSON Schema by the schema of mappings. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, unknown>
  required?: string[]
  patternProperties?: Record<string, unknown>
  maxProperties?: number
  items?: unknown
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
}

/** Everything in a value that is not as its schema says: compiled validators stop at eight. */
export function violationsOf(schema: Schema, value: unknown, field: string): Reason[] {
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (choices !== undefined)
    return choices.includes(value)
      ? []
      : [
          reason('{field} must be one of {choices}', {
            field,
            choices: choices.map((one) => JSON.stringify(one)).join(', '),
          }),
        ]
  if (schema.type === 'string') return textViolations(schema, value, field)
  if (schema.type === 'array') return listViolations(schema, value, field)
  if (schema.type === 'boolean')
    return typeof value === 'boolean' ? [] : [reason('{field} must be true or false', { field })]
  return objectViolations(schema, value, field)
}

function textViolations({ maxLength = 0 }: Schema, value: unknown, field: string): Reason[] {
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= maxLength
  return isText
    ? []
    : [reason('{field} must be a string of 1 to {maxLength} characters', { field, maxLength })]
}

function listViolations(schema: Schema, value: unknown, field: string): Reason[] {
  const { minItems: min = 0, maxItems: max = 100, items = {} } = schema
  if (!Array.isArray(value) || value.length < min || value.length > max)
    return [reason('{field} must be an array of {min} to {max}', { field, min, max })]
  return value.flatMap((one, index) => violationsOf(items as Schema, one, `${field}[${index}]`))
}

function objectViolations(schema: Schema, value: unknown, field: string): Reason[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [
      field === ''
        ? reason('A mapping is an object of JSON, such as {example}', {
            example: '{"version": 1, "columns": {"at": "Date"}}',
          })
        : reason('{field} must be an object of JSON', { field }),
    ]
  const { properties, required = [], patternProperties = {}, maxProperties = 1000 } = schema
  const at = (name: string) => (field === '' ? name : `${field}.${name}`)
  const entries = Object.entries(value)
  if (entries.length > maxProperties)
    return [reason('{field} has more than {maxProperties} words', { field, maxProperties })]
  const [words] = Object.values(patternProperties)
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => reason('{field} is required', { field: at(name) })),
    ...entries.flatMap(([name, one]) => {
      const own = properties === undefined ? words : ownOf(properties, name)
      if (own !== undefined) return violationsOf(own as Schema, one, at(name).slice(0, 100))
      const known = Object.keys(properties ?? {}).join(', ')
      return [
        reason('{field} is not known here: {known}', { field: at(name).slice(0, 100), known }),
      ]
    }),
  ]
}

function ownOf(properties: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}
