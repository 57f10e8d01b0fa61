interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  'x-extensible-enum'?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
}

interface Parameter {
  in?: string
  name?: string
  description?: string
  schema?: Schema
}

/** What is read of an OpenAPI description. */
export interface Description {
  paths: Record<string, Record<string, { operationId?: string; parameters?: Parameter[] }>>
  components: { schemas: Record<string, Schema> }
}

const filters = { listTransactions: 'PaymentFilter', listLinks: 'LinkFilter' }

/** The TypeScript types of an OpenAPI description: its schemas, and the filters of its lists. */
export function generateTypes({ paths, components }: Description): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const named = Object.entries(components.schemas).map(([name, schema]) => declare(name, schema))
  const queries = Object.entries(filters).map(([operationId, name]) => {
    const operation = operations.find((one) => one.operationId === operationId)
    const inQuery = (operation?.parameters ?? []).filter((one) => one.in === 'query')
    const properties = inQuery.map(({ name = '', schema, description = '' }) => [
      name,
      { ...schema, description },
    ])
    return declare(name, { type: 'object', properties: Object.fromEntries(properties) })
  })
  const head =
    "// Generated from the gateway's OpenAPI description: see sdk/typescript/README.md.\n"
  return [head, ...named, ...queries].join('\n')
}

// What programs send: a misspelt one is found when they are compiled.
const sent = new Set(['PaymentServiceCode', 'BillServiceCode'])

function declare(name: string, described: Schema): string {
  const { 'x-extensible-enum': known, ...rest } = described
  const schema = sent.has(name) && known !== undefined ? { ...rest, enum: known } : described
  const about = comment(schema.description, '')
  return schema.type === 'object'
    ? `${about}export interface ${name} ${typeOf(schema, '')}\n`
    : `${about}export type ${name} = ${typeOf(schema, '')}\n`
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, type, enum: values, const: value, anyOf, items } = schema
  const known = schema['x-extensible-enum']
  if ($ref !== undefined) return $ref.replace(/.*\//, '')
  if (value !== undefined) return literal(value)
  if (values !== undefined) return values.map((one) => `\n${indent}  | ${literal(one)}`).join('')
  if (known !== undefined) return `${typeOf({ enum: known }, indent)}\n${indent}  | (string & {})`
  if (Array.isArray(type))
    return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ')
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, indent)).join(' | ')
  if (type === 'array') return `Array<${typeOf(items ?? {}, indent)}>`
  if (type === 'object') return objectOf(schema, indent)
  if (type === 'integer') return 'number'
  return type ?? 'unknown'
}

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema.description, inner)}${inner}${name}${mark}: ${typeOf(schema, inner)}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text} */\n` : ''
}
