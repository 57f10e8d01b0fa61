import { errorTable } from '#edge/http/error-guide.ts'
import type { Guide } from './read-guide.ts'

/*
 * The reference of the interface as a guide, from its description: a page that is read without the
 * interactive one, whose script has a megabyte.
 */

/** A part of the description; what is read of it is looked at before. */
interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Fields
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

type Fields = Record<string, Schema>

type Content = Record<string, { schema?: Schema; example?: unknown }>

interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content?: Content }
  responses?: Record<string, { description?: string; content?: Content }>
}

/** What is read of a description in OpenAPI 3.1. */
export interface Description {
  info: { description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components?: Record<string, Record<string, unknown>>
}

const heading = '## Errors'

/** The reference as Markdown. */
export function referenceGuide(described: Description): Guide {
  const [about = ''] = (described.info.description ?? '').split(heading)
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const chapters = (described.tags ?? []).map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name))
    return own.length === 0
      ? ''
      : `## ${name}\n\n${description}.\n\n${own
          .map((one) => writeOperation(described, one))
          .join('\n\n')}`
  })
  const title = 'API reference'
  const text = [
    `# ${title}`,
    about.trim(),
    'Try it with your key in the [interactive reference](/docs/try/), or give its ' +
      '[OpenAPI description](/openapi.json) to a program.',
    ...chapters.filter((one) => one !== ''),
    `${heading}\n\nIn \`message\` is everything that is wrong; \`code\` is one of these.`,
    errorTable('en'),
  ].join('\n\n')
  return {
    language: 'en',
    name: 'reference',
    title,
    summary: 'Every address, field and error',
    text,
  }
}

interface Placed {
  path: string
  method: string
  operation: Operation
}

function writeOperation(described: Description, { path, method, operation }: Placed): string {
  const { summary = path, description = '', requestBody, responses = {} } = operation
  const body = Object.values(requestBody?.content ?? {})[0]
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  const answer = Object.values(success?.[1].content ?? {})[0]
  const failures = Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, one]) => `${status} ${one.description ?? ''}`)
  return [
    `### ${summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    description,
    table('Parameter', parametersOf(described, operation)),
    body?.schema && table('Field', fieldsOf(described, body.schema)),
    body?.example !== undefined && snippet(body.example),
    answer?.schema && table(`Answer ${success?.[0]}`, fieldsOf(described, answer.schema)),
    failures.length > 0 && `Otherwise: ${failures.join('; ')}.`,
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n\n')
}

/** A parameter of an address; it may be named by a reference. */
interface Parameter {
  $ref?: string
  name?: string
  description?: string
  required?: boolean
  schema?: Schema
}

function parametersOf(described: Description, { parameters = [] }: Operation): Field[] {
  return parameters.map((one) => {
    const { name = '', description, required = false, schema = {} } = follow(described, one)
    const about = description ?? schema.description
    return [
      name,
      described,
      about === undefined ? schema : { ...schema, description: about },
      required,
    ]
  })
}

function snippet(example: unknown): string {
  return `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
}

type Field = [name: string, described: Description, schema: Schema, isRequired: boolean]

function table(title: string, fields: Field[]): string {
  if (fields.length === 0) return ''
  const rows = fields.map(([name, described, schema, isRequired]) => {
    const text = (schema.description ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
    const must = isRequired ? 'yes' : ''
    return `| \`${name}\` | ${typeOf(described, schema)} | ${must} | ${text} |`
  })
  const isAnswer = title.startsWith('Answer')
  const head = `| ${title} | Type | ${isAnswer ? 'Always' : 'Required'} | What it is |`
  return [head, '|---|---|---|---|', ...rows].join('\n')
}

const depthMax = 3

/** The fields of an object, those of objects in it behind a point. */
function fieldsOf(described: Description, schema: Schema, before = '', depth = 0): Field[] {
  const whole = merged(described, schema)
  return Object.entries(whole.properties ?? {}).flatMap(([name, given]) => {
    const own = merged(described, given)
    const field = `${before}${name}`
    const isRequired = whole.required?.includes(name) === true
    const inner = own.items === undefined ? own : merged(described, own.items)
    const below = `${field}${own.items === undefined ? '' : '[]'}.`
    return [
      [field, described, { ...own, ...given, ...(given.$ref ? own : {}) }, isRequired] as Field,
      ...(depth + 1 < depthMax ? fieldsOf(described, inner, below, depth + 1) : []),
    ]
  })
}

/** A schema with what it refers to, and the parts that it is put together from. */
function merged(described: Description, schema: Schema): Schema {
  const own = follow(described, schema)
  const whole = (own.allOf ?? []).map((part) => merged(described, part))
  const choices = (own.anyOf ?? own.oneOf ?? []).map((part) => merged(described, part))
  if (whole.length + choices.length === 0) return own
  const parts = [own, ...whole, ...choices]
  return {
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Fields,
    required: [own, ...whole].flatMap(({ required = [] }) => required),
  }
}

/** What a reference names: `#/components/schemas/NAME`. */
function follow<T extends { $ref?: string }>({ components = {} }: Description, one: T): T {
  const [, , kind = '', name = ''] = one.$ref?.split('/') ?? []
  return (components[kind]?.[name] as T | undefined) ?? one
}

function typeOf(described: Description, schema: Schema): string {
  const own = follow(described, schema)
  if (own.const !== undefined) return `\`${JSON.stringify(own.const)}\``
  if (own.enum !== undefined) return own.enum.map((one) => `\`${String(one)}\``).join(' ')
  const several = own.anyOf ?? own.oneOf
  if (several !== undefined)
    return [...new Set(several.map((one) => typeOf(described, one)))].join(' or ')
  if (own.items !== undefined) return `list of ${typeOf(described, own.items)}`
  return [own.type ?? 'object'].flat().join(' or ')
}
