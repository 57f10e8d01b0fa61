import { createRequire } from 'node:module'
import { Refusal, type RefusalKind, reason } from '#base/kit/refusal.ts'
import { describedValues } from '#edge/wire/enums.ts'
import { writeError } from '#edge/wire/error.ts'
import { EventWire } from '#edge/wire/event.ts'
import { wholeNumberPatterns } from '#edge/wire/pagination.ts'
import { lengthMax } from '#edge/wire/urls.ts'
import { describeForGenerators } from './openapi-for-generators.ts'

type Json = Record<string, unknown>
interface Operation {
  operationId?: string
  parameters?: unknown[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> }
  responses?: Record<string, { content?: Record<string, Json> }>
}

/** Answers that a sandbox gave, by operation and status. */
const recorded = createRequire(import.meta.url)('./openapi-examples.json') as Record<
  string,
  Record<string, unknown>
>

/**
 * Completes the description that was generated from the routes, for programs that read it: every
 * schema with a title gets that name and is referenced, every answer has an example, and there are
 * the header of idempotent requests and the webhooks. The routes' own schemas stay as they are.
 */
export function completeDescription(generated: object): Json {
  const document = structuredClone(generated) as Json & {
    paths: Record<string, Record<string, Operation>>
    components: { schemas?: Record<string, Json>; parameters?: Json }
  }
  for (const methods of Object.values(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      addExamples(operation)
      const { requestBody: body } = operation
      // A body of optional fields may be left out.
      if (body !== undefined) {
        const schema = body.content['application/json']?.schema ?? {}
        body.required = schema.required !== undefined
        describeAddresses(schema)
      }
      if (method === 'post')
        operation.parameters = [
          ...(operation.parameters ?? []),
          { $ref: '#/components/parameters/IdempotencyKey' },
        ]
    }
  const schemas: Record<string, Json> = {}
  const { paths, components } = document
  const complete = {
    ...document,
    paths: nameSchemas(paths, schemas),
    webhooks: nameSchemas(webhooks, schemas),
    components: {
      ...components,
      schemas: Object.fromEntries(
        Object.entries(schemas).toSorted(([one], [other]) => one.localeCompare(other)),
      ),
      parameters: { IdempotencyKey: idempotencyKey },
    },
  }
  describeForGenerators(complete)
  return complete
}

const url = { format: 'uri', maxLength: lengthMax }
const formats: Json = {
  callBackURL: url,
  successUrl: url,
  failureUrl: url,
  Email: { format: 'email' },
}

/**
 * Tells the form of the addresses that a request has. The routes' own schemas have none: their
 * rules (`wire/urls.ts`, `kit/mail-address.ts`) say what is wrong in words, in both languages.
 */
function describeAddresses({ properties }: Json): void {
  for (const [name, schema] of Object.entries((properties ?? {}) as Record<string, Json>))
    Object.assign(schema, formats[name])
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request repeatable: the same key and body get the first answer again, or one made ' +
    'from the record, while it is open and for 72 hours after its end',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** Replaces each schema that has a title by a reference, and collects it under its name. */
function nameSchemas(node: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(node)) return node.map((one) => nameSchemas(one, schemas))
  if (typeof node !== 'object' || node === null) return node
  const named = Object.entries(node).map(([key, value]) =>
    key === 'example' || key === 'examples' ? [key, value] : [key, nameSchemas(value, schemas)],
  )
  const { title, ...schema } = Object.fromEntries(named) as Json
  const wholeNumber = wholeNumberPatterns.get(String(schema.pattern))
  if (wholeNumber !== undefined) return wholeNumber
  if (typeof title !== 'string') return title === undefined ? schema : { title, ...schema }
  const name = nameOf(title)
  const values = describedValues[title]
  const whole = values === undefined ? schema : { ...schema, enum: values }
  // The same schema may be described differently where it is used.
  const { description: _, ...bare } = whole
  const { description: __, ...known } = schemas[name] ?? whole
  if (JSON.stringify(bare) !== JSON.stringify(known))
    throw new Error(`two schemas are called ${name}`)
  schemas[name] ??= whole
  return { $ref: `#/components/schemas/${name}` }
}

function nameOf(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

function addExamples({ operationId = '', responses = {} }: Operation): void {
  for (const [status, { content }] of Object.entries(responses)) {
    const example = recorded[operationId]?.[status] ?? errorExample(Number(status))
    const json = content?.['application/json']
    if (json !== undefined && example !== undefined) json.example = example
  }
}

const range = { min: 200, max: 1_000_000 }
const errorReasons: Record<number, [RefusalKind, ...(ReturnType<typeof reason> | string)[]]> = {
  400: [
    'validation_failed',
    reason('{field} must be a whole number from {min} to {max}', range, 'amount'),
    reason('{field} is required', {}, 'number'),
  ],
  401: ['invalid_api_key', 'Invalid API KEY'],
  403: ['under_maintenance', 'API under maintenance'],
  404: ['not_found', 'No transaction found'],
  409: ['request_in_progress', 'The first request with this Idempotency-Key is still running'],
  413: ['body_too_large', reason('The body is larger than {bytes} bytes', { bytes: 65_536 })],
  415: ['unsupported_media_type', 'The body must be JSON (Content-Type: application/json)'],
  421: [
    'wrong_cell',
    reason('This belongs to the cell {cell}, which is not this one', { cell: 'c2' }),
  ],
  422: ['idempotency_key_reused', 'This Idempotency-Key was used with another request'],
  429: [
    'rate_limited',
    reason('Too many requests: at most {max} a minute, try again in {seconds} s', {
      max: 100,
      seconds: 12,
    }),
  ],
  503: ['overloaded', 'The service is busy, please try again shortly'],
}

function errorExample(status: number): object | undefined {
  const found = errorReasons[status]
  const requestId = 'req_4hXw0bDqVn1sK1'
  if (status === 500) {
    const bug = new Refusal('service_unavailable', 'Something went wrong on our side')
    return { ...writeError(bug, 'en', requestId), code: 'INTERNAL_ERROR' }
  }
  return found && writeError(new Refusal(...found), 'en', requestId)
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const webhooks = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'A transaction or payment link has ended',
      description:
        'Sent to `callBackURL`, again and again until it is answered with 2xx within ten ' +
        'seconds. Verify the signature before you read the body.',
      tags: ['Webhooks'],
      security: [],
      parameters: [
        header('webhook-id', 'Of the event, the same on every attempt'),
        header('webhook-timestamp', 'Of this attempt, in seconds since 1970'),
        header(
          'webhook-signature',
          '`v1,` and the Base64 HMAC-SHA256 of id, timestamp and body (Standard Webhooks)',
        ),
        header('X-Webhook-Signature', 'Hex HMAC-SHA256 of the raw body, keyed with the secret'),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: structuredClone(EventWire) as unknown,
            example: recorded.receiveEvent?.body,
          },
        },
      },
      responses: { '2XX': { description: 'Received; the body is not read' } },
    },
  },
}
