type Json = Record<string, unknown>
type Side = 'request' | 'answer'

const ownerOfSchemas = '#/components/schemas/'

/**
 * Describes the same interface so that generated clients compile, and go on working when something
 * is added to an answer: fields that differ by case are described once, booleans have no list of
 * values, answers may have more fields, and lists of values that may grow are not closed.
 */
export function describeForGenerators(document: Json): void {
  const { schemas = {} } = document.components as { schemas?: Record<string, Json> }
  const seen = new Set<string>()
  visit(document.paths, 'request')
  visit(document.webhooks, 'answer')

  function visit(node: unknown, side: Side): void {
    if (Array.isArray(node)) for (const one of node) visit(one, side)
    if (!isObject(node)) return
    if (typeof node.$ref === 'string' && node.$ref.startsWith(ownerOfSchemas)) {
      const name = node.$ref.slice(ownerOfSchemas.length)
      if (!seen.has(`${side} ${name}`)) {
        seen.add(`${side} ${name}`)
        const named = schemas[name] ?? {}
        openValues(named)
        visit(named, side)
      }
      return
    }
    describe(node, side)
    for (const [key, value] of Object.entries(node))
      if (key !== 'example' && key !== 'x-extensible-enum')
        visit(value, key === 'responses' ? 'answer' : side)
  }
}

function describe(node: Json, side: Side): void {
  // Without a bound: sums and balances.
  if (node.type === 'integer' && node.maximum === undefined) node.format = 'int64'
  if (node.in === 'path') Object.assign(node.schema as Json, { minLength: 1, maxLength: 128 })
  if (node.type === 'boolean' && Array.isArray(node.enum)) {
    const { enum: values } = node
    delete node.enum
    node.description = `Always ${values.join(' or ')}`
  }
  flattenNull(node)
  if (side === 'request') return
  openValues(node)
  if (node.type !== 'object' || !isObject(node.properties)) return
  node.additionalProperties = true
  describeTwinsOnce(node as Json & { properties: Json })
}

/** A list that grows: generated clients take any text, and show what is known today. */
function openValues(node: Json): void {
  if (!Array.isArray(node.enum) || typeof node.enum[0] !== 'string') return
  node.type = 'string'
  node['x-extensible-enum'] = node.enum
  delete node.enum
}

/** Many generators know null as one of the types only. */
function flattenNull(node: Json): void {
  const [value, nothing] = Array.isArray(node.anyOf) ? (node.anyOf as Json[]) : []
  if (nothing?.type !== 'null' || typeof value?.type !== 'string') return
  delete node.anyOf
  Object.assign(node, value, { type: [value.type, 'null'] })
}

/** `Status` is in every answer, `status` beside it in some. */
function describeTwinsOnce(schema: Json & { properties: Json }): void {
  const { properties, required = [] } = schema
  for (const name of Object.keys(properties)) {
    const twin = name.toLowerCase()
    if (twin === name || !(twin in properties)) continue
    properties[name] = { ...(properties[name] as Json), description: `Also sent as \`${twin}\`` }
    delete properties[twin]
    schema.required = (required as string[]).filter((one) => one !== twin)
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
