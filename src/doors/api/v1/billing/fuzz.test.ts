import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { call, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'

/*
 * Random requests for bills, on a lab that answers, so that some of them succeed: each answer must
 * match a schema of the OpenAPI document.
 */
const gateway = await liveGateway({ pace: 20 })
const { db } = gateway
const { paths, components } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
  paths: Record<string, { post: Operation }>
  components: object
}

interface Operation {
  requestBody: { content: { 'application/json': { example: object } } }
  responses: Record<string, { content: { 'application/json': { schema: object } } }>
}

const odd: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  [],
  {},
  { toString: 1 },
  '',
  ' ',
  'x'.repeat(129),
  '\u2028',
]
const oddity = fc.oneof(fc.constantFrom(...odd), fc.jsonValue(), fc.string())

/** Mostly one of the usual values, sometimes left out, rarely of any shape. */
const field = (...usual: unknown[]) =>
  fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom(...usual) },
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: oddity },
  )

const services = ['WATER_SN_BILL', 'ELEC_SN_BILL', 'PREPAID_SN_BILL']
const references = `100000001 100000002 100000003 100000005 000100000002 999999999
  200000001 200000005 200000007`.split(/\s+/)
/** A service and a customer, mostly of that biller. */
const customer = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...references).map((one): [unknown, unknown] => {
      const turn = Number(one.at(-1)) % 2
      return [one.startsWith('2') ? 'PREPAID_SN_BILL' : services[turn], one]
    }),
  },
  { weight: 1, arbitrary: fc.tuple(field(...services), field(...references)) },
)

const sent = fc.record({
  path: fc.constantFrom('/api/v1/billing/pay', '/api/v1/billing/pay', '/api/v1/billing/inquiry'),
  language: fc.constantFrom('en', 'fr'),
  body: fc
    .record({
      customer,
      amount: field(200, 5000, 1_000_000),
      reference_facture: fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: field('W1', 'session-x') },
      ),
      externalTransactionId: field('one', 'two', 'three'),
      callBackURL: field('http://127.0.0.1:9/hook', 'https://shop.example/a?b=c'),
      customData: field('{}', 'é "quoted" \\ 🎉'),
      sub_merchant_id: fc.oneof(
        { weight: 8, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: field('sm-7f4a9940c621') },
      ),
    })
    .map(({ customer: [serviceCode, reference_client], ...more }) => ({
      serviceCode,
      reference_client,
      ...more,
    })),
})

interface Sent {
  path: string
  language: string
  body: object
}

const checkers = new Map<object, { Check(value: unknown): boolean }>()

/** Whether an answer matches its documented schema. */
function follows(schema: object, found: unknown): boolean {
  const checker = checkers.get(schema) ?? Schema.Compile({ ...schema, components })
  checkers.set(schema, checker)
  return checker.Check(found)
}

it('the examples of the OpenAPI document are accepted', async () => {
  const statuses = Object.entries(paths)
    .filter(([path]) => path.includes('/billing/'))
    .map(async ([path, { post }]) => {
      const { example } = post.requestBody.content['application/json']
      return [path, (await call(gateway, `POST ${path}`, example)).status]
    })
  assert.deepEqual(Object.fromEntries(await Promise.all(statuses)), {
    '/api/v1/billing/inquiry': 200,
    '/api/v1/billing/pay': 201,
  })
})

// One request for each kind of answer, so that none depends on chance.
const pay = '/api/v1/billing/pay'
const fixedRequests = [
  { path: '/api/v1/billing/inquiry', body: ['WATER_SN_BILL', '100000003'] },
  { path: pay, body: ['PREPAID_SN_BILL', '200000001', 5000, 'twice'] },
  { path: pay, body: ['PREPAID_SN_BILL', '200000001', 5000, 'twice'] },
  { path: pay, body: ['PREPAID_SN_BILL', '200000004', 5000] },
  { path: pay, body: ['PREPAID_SN_BILL', '200000005', 5000] },
  { path: pay, body: ['PREPAID_SN_BILL', '200000001', 1_000_000] },
  { path: pay, body: ['WATER_SN_BILL', '100000003'] },
  { path: pay, body: ['WATER_SN_BILL', ''] },
].map(({ path, body: [serviceCode, reference_client, amount, externalTransactionId] }) => ({
  path,
  language: 'en',
  body: { serviceCode, reference_client, amount, externalTransactionId },
}))

it('every answer to an inquiry or a payment matches its declared schema', async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  context.diagnostic(`seed ${seed}`)
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array<Sent>(sent, { minLength: 8, maxLength: 8 }), async (requests) => {
      const caller = { ...gateway, ...(await gateway.newMerchant(60_000)) }
      const answers = await Promise.all(
        requests.map(({ path, language, body }) =>
          call(caller, `POST ${path}`, body, { 'Accept-Language': language }),
        ),
      )
      answers.forEach(({ status, body, text }, index) => {
        const { path = '' } = requests[index] ?? {}
        assert.ok(status < 500, text)
        const schema = paths[path]?.post.responses[status]?.content['application/json'].schema
        assert.ok(schema !== undefined, `not declared: ${status} ${text}`)
        assert.ok(follows(schema, body), `not as declared: ${status} ${text}`)
        const kind = `${status} ${body.code ?? body.transaction?.Status ?? ''}`
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
      })
    }),
    { numRuns: sized(15, 60), seed, examples: [[fixedRequests]] },
  )
  context.diagnostic(JSON.stringify([...seen]))
  for (const kind of ['200 ', '201 SUCCESS', '400 BILL_NOT_FOUND', '400 BILL_ALREADY_PAID'])
    assert.ok(seen.has(kind), `${kind} was never met`)
  for (const kind of ['400 BILL_REFUSED', '400 INSUFFICIENT_FUNDS', '400 VALIDATION_FAILED'])
    assert.ok(seen.has(kind), `${kind} was never met`)
  assert.ok(seen.has('409 DUPLICATE_TRANSACTION'))
  await assertMoney({ db, lab: gateway.lab })
})
