import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Schema from 'typebox/schema'
import { errorCodes } from '#edge/wire/error-codes.ts'
import { services } from '#merchants/catalog/services.ts'
import { testGateway } from '#test/app.ts'
import { completeDescription } from './openapi-document.ts'

interface Operation {
  operationId: string
  security?: object[]
  parameters?: { $ref?: string; name?: string; schema?: object }[]
  requestBody?: { required?: boolean; content: Content }
  tags?: string[]
  responses: Record<string, { content?: Content }>
}
type Content = Record<string, { schema: Named; example?: unknown }>
interface Named {
  $ref?: string
  type?: string
  enum?: string[]
  'x-extensible-enum'?: string[]
  additionalProperties?: unknown
  examples?: unknown[]
  properties?: Record<string, Named>
}
type Paths = Record<string, Record<string, Operation>>
interface Described {
  paths: Paths
  webhooks: Paths
  components: { schemas: Record<string, Named>; parameters: Record<string, { name: string }> }
}

type Json = Record<string, unknown>
const url = { format: 'uri', maxLength: 2048 }

const gateway = await testGateway()
const app = await gateway.start()
const answer = await app.send('GET /openapi.json', { key: null })
const described = answer.body as unknown as Described
const { components } = described
const operations = Object.values({ ...described.paths, ...described.webhooks }).flatMap((methods) =>
  Object.entries(methods).map(([method, operation]) => ({ method, ...operation })),
)

/** The JSON bodies of an operation, with the place where each is. */
function bodiesOf({ operationId, requestBody, responses }: Operation) {
  const request = operationId === 'receiveEvent' ? 'event' : 'request'
  const places = { ...responses, ...(requestBody && { [request]: requestBody }) }
  return Object.entries(places).flatMap(([place, { content = {} }]) => {
    const json = content['application/json']
    return json === undefined ? [] : [{ where: `${operationId} ${place}`, ...json }]
  })
}

function assertValid(schema: object, value: unknown, where: string): void {
  assert.ok(Schema.Compile({ ...schema, components }).Check(value), where)
}

describe('the description for programs', () => {
  it('tells the form and the length of addresses, and of amounts what is refused', () => {
    const fieldsOf = (name: string) => components.schemas[name]?.properties ?? {}
    for (const name of ['InitRequest', 'LinkRequest', 'PayBillRequest', 'RefundRequest'])
      for (const field of ['callBackURL', 'successUrl', 'failureUrl']) {
        const { format, maxLength } = (fieldsOf(name)[field] ?? url) as typeof url
        assert.deepEqual({ format, maxLength }, url, `${name} ${field}`)
      }
    const { format, maxLength } = fieldsOf('LinkRequest').Email as Json
    assert.deepEqual([format, maxLength], ['email', 254])
    assert.equal((fieldsOf('PayBillRequest').amount as Json).minimum, undefined)
  })

  it('names every operation as a person would', () => {
    const names = operations.map(({ operationId }) => operationId)
    assert.deepEqual(names.sort(), [
      'confirmTransaction',
      'createLink',
      'createSubMerchant',
      'deactivateSubMerchant',
      'getBalance',
      'getLink',
      'getMerchantTransaction',
      'getSubMerchant',
      'getTransaction',
      'initTransaction',
      'inquireBill',
      'listEvents',
      'listLinks',
      'listServices',
      'listSubMerchants',
      'listTransactions',
      'payBill',
      'receiveEvent',
      'refundTransaction',
      'replayEvent',
      'streamEvents',
      'updateSubMerchant',
    ])
  })

  it('refers to a named schema for every body', () => {
    for (const { where, schema } of operations.flatMap(bodiesOf))
      assert.match(schema.$ref ?? 'none', /^#\/components\/schemas\/[A-Z]\w+$/, where)
  })

  it('describes page sizes as whole numbers, and the body of a refund as optional', () => {
    const { listTransactions, listSubMerchants, listEvents, refundTransaction, initTransaction } =
      Object.fromEntries(operations.map((operation) => [operation.operationId, operation]))
    for (const [operation, limits] of [
      [listTransactions, { maximum: 100, default: 20 }],
      [listSubMerchants, { maximum: 100, default: 20 }],
      [listEvents, { maximum: 1000, default: 100 }],
    ] as const) {
      const limit = operation?.parameters?.find(({ name }) => name === 'limit')
      assert.deepEqual(limit?.schema, { type: 'integer', minimum: 1, ...limits })
    }
    const page = listSubMerchants?.parameters?.find(({ name }) => name === 'page')
    assert.deepEqual(page?.schema, { type: 'integer', format: 'int64', minimum: 1, default: 1 })
    assert.equal(refundTransaction?.requestBody?.required, false)
    assert.equal(initTransaction?.requestBody?.required, true)
  })

  it('has no object without a name inside another', () => {
    for (const [name, { properties = {} }] of Object.entries(components.schemas))
      for (const [field, schema] of Object.entries(properties))
        assert.notEqual(schema.type, 'object', `${name}.${field}`)
  })

  it('lists the values of statuses, error codes and service codes', () => {
    const valuesOf = (name: string) => components.schemas[name]?.['x-extensible-enum']
    assert.ok(valuesOf('PaymentStatus')?.includes('EXPIRED'))
    assert.deepEqual(valuesOf('ErrorCode'), Object.keys(errorCodes))
    assert.equal(valuesOf('ServiceCode')?.length, services.length)
    assert.equal(valuesOf('PaymentServiceCode')?.length, services.length - 3)
    const uses: [string, string, string][] = [
      ['Transaction', 'Status', 'PaymentStatus'],
      ['TransactionDetail', 'Status', 'PaymentStatus'],
      ['WebhookEvent', 'STATUS', 'PaymentStatus'],
      ['ErrorAnswer', 'code', 'ErrorCode'],
      ['InitRequest', 'serviceCode', 'PaymentServiceCode'],
    ]
    for (const [schema, field, target] of uses)
      assert.equal(
        components.schemas[schema]?.properties?.[field]?.$ref,
        `#/components/schemas/${target}`,
      )
  })

  // A schema of this name takes the place of a class that a generator puts beside the schemas.
  const ownOfGenerators = new Set([
    'ApiClient',
    'ApiError',
    'ApiException',
    'ApiResponse',
    'Configuration',
  ])

  it('has nothing that generated clients choke on, or that breaks with what is added', () => {
    const wrong: string[] = []
    const look = (node: unknown, where: string, isAnswer: boolean) => {
      if (typeof node !== 'object' || node === null) return
      const { type, enum: values, properties, additionalProperties } = node as Named
      const names = Object.keys(properties ?? {}).map((name) => name.toLowerCase())
      if (new Set(names).size < names.length) wrong.push(`${where}: fields that differ by case`)
      if (type === 'boolean' && values !== undefined) wrong.push(`${where}: values of a boolean`)
      if (isAnswer && values !== undefined) wrong.push(`${where}: a closed list`)
      if (isAnswer && type === 'object' && additionalProperties !== true)
        wrong.push(`${where}: a closed object`)
      for (const [key, value] of Object.entries(node))
        if (!key.startsWith('example')) look(value, `${where}/${key}`, isAnswer)
    }
    for (const [name, schema] of Object.entries(components.schemas)) {
      look(schema, name, !/Request$|Change$/.test(name))
      assert.ok(!Object.hasOwn(schema.properties ?? {}, name), `${name} has a field of its name`)
      assert.ok(!ownOfGenerators.has(name), `${name} is a class of generated clients`)
    }
    assert.deepEqual(wrong, [])
    const tags = operations.map(({ operationId, tags: [tag] = [] }) => [operationId, tag])
    assert.deepEqual(
      tags.filter(([, tag]) => tag === 'Webhooks'),
      [['receiveEvent', 'Webhooks']],
    )
  })

  it('says where 404 is possible', () => {
    const missing = operations.filter(({ responses }) => '404' in responses)
    assert.deepEqual(missing.map(({ operationId }) => operationId).sort(), [
      'confirmTransaction',
      'deactivateSubMerchant',
      'getLink',
      'getMerchantTransaction',
      'getSubMerchant',
      'getTransaction',
      'refundTransaction',
      'replayEvent',
      'updateSubMerchant',
    ])
  })

  it('has the header Idempotency-Key on every POST', () => {
    assert.equal(components.parameters.IdempotencyKey?.name, 'Idempotency-Key')
    for (const { method, operationId, parameters = [] } of operations)
      assert.equal(
        parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
        method === 'post' && operationId !== 'receiveEvent',
        operationId,
      )
  })

  it('describes the webhook with its signatures', () => {
    const { post } = described.webhooks.event ?? {}
    assert.deepEqual(
      post?.parameters?.map(({ name }) => name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Webhook-Signature'],
    )
    assert.deepEqual(post?.security, [])
  })

  it('has an example of every answer, and each is valid', () => {
    const bodies = operations.flatMap(bodiesOf)
    assert.ok(bodies.length > 150, `${bodies.length} bodies`)
    // A request may have none.
    for (const { where, schema, example } of bodies)
      if (example !== undefined || !where.endsWith('request')) assertValid(schema, example, where)
    for (const [name, { examples = [] }] of Object.entries(components.schemas))
      for (const example of examples) assertValid(components.schemas[name] ?? {}, example, name)
  })

  it('refuses two schemas of one name', () => {
    const schema = (type: string) => ({ schema: { title: 'Some thing', type } })
    const paths = { '/a': { get: { parameters: [schema('string'), schema('number')] } } }
    assert.throws(() => completeDescription({ paths, components: {} }), /called SomeThing/)
  })
})
