import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { describeApi } from '../describe-api.ts'
import { compareDescriptions, type Description, mayBreak } from './compare.ts'

const released = JSON.parse(readFileSync('openapi/released.json', 'utf8')) as Description

// Tests change descriptions at any depth.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any

/** The released description with a change planted in it. */
function changed(plant: (description: Loose) => void): Description {
  const copy = structuredClone(released)
  plant(copy)
  return copy
}

const init = '/api/v1/transaction/init'
const schemaOf = (one: Loose, name: string) => one.components.schemas[name]
const operationOf = (one: Loose, path = init, method = 'post') => one.paths[path][method]

describe('the interface since its last release', () => {
  it('breaks no program, unless its version says so', async () => {
    const now = (await describeApi()) as Description
    const { breaking } = compareDescriptions(released, now)
    if (!mayBreak(released, now))
      assert.deepEqual(breaking, [], 'see "Changing the interface" in CONTRIBUTING.md')
  })

  it('may break when the first number of the version rises, not when another does', () => {
    const versions: [string, boolean][] = [
      ['2.0.0', true],
      ['10.0.0', true],
      ['1.1.0', false],
      ['1.0.1', false],
      ['1.0.0', false],
      ['0.9.0', false],
    ]
    for (const [version, isAllowed] of versions) {
      const now = changed((one) => {
        one.info.version = version
      })
      assert.equal(mayBreak(released, now), isAllowed, version)
    }
  })
})

describe('changes that break', () => {
  const rows: [string, (one: Loose) => void, RegExp][] = [
    ['a path is gone', (one) => delete one.paths[init], /POST .*init is gone/],
    ['a method is gone', (one) => delete one.paths['/api/v1/sub-merchant'].get, /GET .* is gone/],
    [
      'an operation has another name',
      (one) => (operationOf(one).operationId = 'startTransaction'),
      /called startTransaction instead of initTransaction/,
    ],
    [
      'a named schema is gone',
      (one) => {
        one.components.schemas.Payment = schemaOf(one, 'Transaction')
        const text = JSON.stringify(one).replaceAll('schemas/Transaction"', 'schemas/Payment"')
        Object.assign(one, JSON.parse(text))
        delete one.components.schemas.Transaction
      },
      /schema Transaction is gone/,
    ],
    [
      'a field of an answer is gone',
      (one) => delete schemaOf(one, 'Transaction').properties.cashout_url,
      /201\.transaction: the field cashout_url is gone/,
    ],
    [
      'a field of an answer may be missing',
      (one) => {
        const { required } = schemaOf(one, 'Transaction')
        required.splice(required.indexOf('Status'), 1)
      },
      /the field Status may be missing now/,
    ],
    [
      'a field of an answer has another type',
      (one) => (schemaOf(one, 'Transaction').properties.transactionId.type = 'integer'),
      /transactionId is integer instead of string/,
    ],
    [
      'a field of an answer can be null',
      (one) => (schemaOf(one, 'Transaction').properties.transactionId.type = ['string', 'null']),
      /transactionId is string or null instead of string/,
    ],
    [
      'a field of a webhook is gone',
      (one) => delete schemaOf(one, 'WebhookEvent').properties.CUSTOM_DATA,
      /POST event: the field CUSTOM_DATA is gone/,
    ],
    [
      'a header of a webhook is gone',
      (one) => one.webhooks.event.post.parameters.shift(),
      /parameter header webhook-id is gone/,
    ],
    ['the webhook is gone', (one) => delete one.webhooks.event, /POST event is gone/],
    [
      'a new field of a request is required',
      (one) => {
        const schema = schemaOf(one, 'InitRequest')
        schema.properties.purpose = { type: 'string' }
        schema.required.push('purpose')
      },
      /init: the field purpose is required now/,
    ],
    [
      'an optional field of a request is required',
      (one) => schemaOf(one, 'InitRequest').required.push('sub_merchant_id'),
      /the field sub_merchant_id is required now/,
    ],
    [
      'a field of a request is gone',
      (one) => delete schemaOf(one, 'InitRequest').properties.sub_merchant_id,
      /the field sub_merchant_id is gone/,
    ],
    [
      'a request takes fewer values',
      (one) => schemaOf(one, 'PaymentServiceCode')['x-extensible-enum'].shift(),
      /no longer takes WALLETA_SN_CASHIN/,
    ],
    [
      'a request takes only some values',
      (one) => (schemaOf(one, 'InitRequest').properties.number.enum = ['771234567']),
      /number takes only some values now/,
    ],
    [
      'a request takes a smaller amount',
      (one) => (schemaOf(one, 'InitRequest').properties.amount.maximum = 500_000),
      /amount: maximum is 500000/,
    ],
    [
      'a request needs a longer text',
      (one) => (schemaOf(one, 'InitRequest').properties.externalTransactionId.minLength = 8),
      /externalTransactionId: minLength is 8/,
    ],
    [
      'a request has another pattern',
      (one) => (schemaOf(one, 'InitRequest').properties.number.pattern = '^7[0-9]{8}$'),
      /number has another pattern/,
    ],
    [
      'a request takes no unknown fields',
      (one) => (schemaOf(one, 'InitRequest').additionalProperties = false),
      /takes no other fields/,
    ],
    [
      'a body is required',
      (one) => {
        operationOf(one, '/api/v1/transaction/refund/{transactionId}').requestBody.required = true
      },
      /refund\/\{transactionId\}: a body is required now/,
    ],
    [
      'a new parameter is required',
      (one) => {
        const parameter = { name: 'day', in: 'query', required: true, schema: { type: 'string' } }
        operationOf(one, '/api/v1/transaction', 'get').parameters.push(parameter)
      },
      /parameter query day is required now/,
    ],
    [
      'a parameter is gone',
      (one) => operationOf(one, '/api/v1/transaction', 'get').parameters.shift(),
      /GET \/api\/v1\/transaction: the parameter query \w+ is gone/,
    ],
    [
      'the header of idempotent requests is shorter',
      (one) => (one.components.parameters.IdempotencyKey.schema.maxLength = 64),
      /Idempotency-Key: maxLength is 64 instead of 255/,
    ],
    [
      'success has another status',
      (one) => {
        const { responses } = operationOf(one)
        responses['200'] = responses['201']
        delete responses['201']
      },
      /no longer answers 201/,
    ],
    [
      'an answer is no JSON',
      (one) => {
        const answer = operationOf(one).responses['201']
        answer.content = { 'text/plain': answer.content['application/json'] }
      },
      /no application\/json any more/,
    ],
    [
      'requests are authorised differently',
      (one) => (one.security = [{ oauth: [] }]),
      /prove who they are in another way/,
    ],
  ]
  for (const [name, plant, sentence] of rows)
    it(`finds that ${name}`, () => {
      const { breaking } = compareDescriptions(released, changed(plant))
      assert.ok(
        breaking.some((one) => sentence.test(one)),
        JSON.stringify(breaking),
      )
    })
})

describe('changes that break nothing', () => {
  const rows: [string, (one: Loose) => void, RegExp?][] = [
    ['nothing', () => {}],
    ['a new path', (one) => (one.paths['/api/v1/new'] = one.paths[init])],
    ['a new field of an answer', (one) => (schemaOf(one, 'Transaction').properties.more = {})],
    ['a new optional field', (one) => (schemaOf(one, 'InitRequest').properties.more = {})],
    [
      'a required field that may be left out',
      (one) => schemaOf(one, 'InitRequest').required.splice(0, 1),
    ],
    [
      'a larger limit',
      (one) => (schemaOf(one, 'InitRequest').properties.externalTransactionId.maxLength = 500),
    ],
    [
      'the form of an address, to note',
      (one) => {
        const { properties } = schemaOf(one, 'InitRequest')
        properties.sub_merchant_id = { type: 'string', format: 'uri', maxLength: 2048 }
      },
      /sub_merchant_id has its format described/,
    ],
    ['other words', (one) => (operationOf(one).description = 'Something else')],
    [
      'a new code of errors, to note',
      (one) => schemaOf(one, 'ErrorCode')['x-extensible-enum'].push('NEW_CODE'),
      /code can be NEW_CODE now/,
    ],
    [
      'a new status of errors, to note',
      (one) => (operationOf(one).responses['418'] = operationOf(one).responses['400']),
      /can answer 418 now/,
    ],
  ]
  for (const [name, plant, note] of rows)
    it(name, () => {
      const { breaking, warnings } = compareDescriptions(released, changed(plant))
      assert.deepEqual(breaking, [])
      if (note === undefined) assert.deepEqual(warnings, [])
      else assert.ok(warnings.some((one) => note.test(one)))
    })
})
