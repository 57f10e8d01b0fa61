import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { type Answer, addEcho, assertGeneralError, type LogLine, testGateway } from '#test/app.ts'
import { sized } from '#test/size.ts'

interface Operation {
  parameters?: { in: string; name: string }[]
  requestBody?: { content: { 'application/json': { example?: Record<string, unknown> } } }
  responses: Record<string, { content: { 'application/json': { schema: object } } }>
}

interface Sent {
  /** The documented operation that was mutated: `POST /api/v1/transaction/init`. */
  operation: string
  method: string
  path: string
  key: string | null
  headers: Record<string, string | undefined>
  body: string | Buffer | undefined
}

const gateway = await testGateway()
const app = await gateway.start({ routes: (http) => addEcho(http, false) })
const { paths, components } = (await app.send('GET /openapi.json')).body as {
  paths: Record<string, Record<string, Operation>>
  components: object
}
// Without streams, whose answers do not end.
const operations = new Map<string, Operation>(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => !JSON.stringify(responses).includes('text/event-stream'))
      .map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  ),
)

const texts = `500 0x100 771234567 77123456７ ٧٧١٢٣٤٥٦٧ ../.. {{7*7}} %00 WATER_SN_BILL missing used
  WALLETB_CI_CASHIN https://user@x http://[::1]:x/ javascript:alert(1) ';drop/**/table/**/clients;--
  \0 \ud800 \u2028 😀 ${'x'.repeat(129)} ${'x'.repeat(5000)}`.split(/[ \n]+/)
const others: unknown[] = [200, 199, 200.5, 1e6, 1e6 + 1, -0, 1e21, null, true, [], {}, [200], '']
const nasty = fc.constantFrom<unknown>(...texts, ...others, '771234567\n', { amount: 200 })
// Objects that String() throws on.
const unprintable = fc.constantFrom<unknown>({ toString: 1 }, [{ valueOf: null, toString: null }])
const value = fc.oneof(nasty, unprintable, fc.jsonValue(), fc.string({ unit: 'binary' }))
const name = fc.constantFrom('note', '__proto__', 'constructor', 'toString', 'amount', '', 'a\0')

/** The documented example with some fields changed, left out or added. */
function bodyOf(example: Record<string, unknown>): fc.Arbitrary<string> {
  const fields = Object.entries(example).map(([field, good]) =>
    fc.oneof(
      { weight: 15, arbitrary: fc.constant([field, good]) },
      { weight: 2, arbitrary: value.map((bad) => [field, bad]) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
  )
  const more = fc.array(fc.tuple(name, value), { maxLength: 2 })
  return fc.tuple(fc.tuple(...fields), more).map(([own, added]) => {
    const members = [...own, ...added].filter((member) => member.length > 0)
    const texts = members.map(([field, one]) => `${JSON.stringify(field)}:${JSON.stringify(one)}`)
    return `{${texts.join()}}`
  })
}

const rawBody = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    '',
    'null',
    '[]',
    '"a"',
    '[['.repeat(999),
    '{"a":'.repeat(999),
    ' '.repeat(66_000),
  ),
)
const mostly = <T>(usual: T, ...others: (T | undefined)[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<T | undefined>(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
const contentType = mostly(
  'application/json',
  'text/plain',
  'application/json; charset=utf-16',
  'a',
)
const language = fc.constantFrom(undefined, 'fr', 'fr;q=0.2,en', '*', ';;,q=')
const visible = fc.string({
  unit: fc.constantFrom('a', 'Z', '0', '-', '%', '/', '=', ',', 'é'),
  minLength: 1,
  maxLength: 300,
})
const segment = fc.oneof(fc.uuid(), nasty.map(String), fc.string({ unit: 'binary', minLength: 1 }))
const prefix = fc.constantFrom('/api/v1', '/v1', '')

const sent: fc.Arbitrary<Sent> = fc.constantFrom(...operations).chain(([operation, described]) => {
  const [method = '', path = ''] = operation.split(' ')
  const ending = fc.oneof(
    fc.constantFrom('', '/', '?a=1', '?a=%00', '?page=-1&limit=x'),
    queryOf(described.parameters ?? []),
  )
  return fc.record({
    operation: fc.constant(operation),
    method: mostly(method, 'POST', 'DELETE', 'QUERY').map(String),
    path: fc
      .tuple(prefix, segment, ending)
      .map(([start, id, end]) => addressOf(path, start, id) + end),
    key: mostly<string | null>(gateway.secret, null, 'sk_sandbox_nobody').map((key) => key ?? null),
    headers: fc.record({
      'content-type': contentType,
      'accept-language': language,
      'idempotency-key': mostly<string | undefined>(undefined, 'a', ' ', 'x'.repeat(256)),
      'content-encoding': mostly<string | undefined>(undefined, 'gzip', 'identity'),
      'x-forwarded-for': fc.option(visible, { nil: undefined }),
    }),
    body: fc.oneof(
      { weight: 4, arbitrary: bodyOf(exampleOf(described)) },
      { weight: 1, arbitrary: rawBody },
    ),
  })
})

const moments = `2026-11-16 2026-13-01 2026-12-32 2026-00-01 2026-02-30 2026-11-16T08:30:00Z
  2026-11-16T25:00:00Z 2026-11-16T10:60:00Z 2026-11-16T10:00:00+99:00 2026-02-30T10:00:00Z
  0000-01-01 0001-01-01 1969-12-31 9999-12-31 9999-12-31T23:59:59-23:59 9999999-01-01
  +275760-09-14 2026-11-16\0 ffffffff-ffff-ffff-ffff-ffffffffffff`.split(/[ \n]+/)

/** Parameters that the description names, with values that can and cannot be. */
function queryOf(parameters: { in: string; name: string }[]): fc.Arbitrary<string> {
  const names = parameters.flatMap((one) => (one.in === 'query' ? one.name : []))
  const given = names.map((one) =>
    fc.option(fc.oneof(fc.constantFrom(...moments), segment)).map((text) => [one, text] as const),
  )
  return fc.tuple(...given).map((pairs) => {
    const written = pairs.flatMap(([one, text]) =>
      text === null ? [] : `${one}=${encodeURIComponent(text.toWellFormed())}`,
    )
    return `?${written.join('&')}`
  })
}

function exampleOf({ requestBody }: Operation): Record<string, unknown> {
  return requestBody?.content['application/json'].example ?? {}
}

function addressOf(path: string, start: string, id: string): string {
  const filled = path.replaceAll(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()) || 'x')
  return filled.replace('/api/v1', start)
}

const checkers = new Map<object, { Check(value: unknown): boolean }>()

/** Whether an answer matches its documented schema. */
function follows(schema: object, found: unknown): boolean {
  const checker = checkers.get(schema) ?? Schema.Compile({ ...schema, components })
  checkers.set(schema, checker)
  return checker.Check(found)
}

function judge({ operation, method }: Sent, answer: Answer, [bug]: LogLine[]): void {
  const what = `${operation}: ${answer.status} ${answer.text} ${JSON.stringify(bug?.err ?? '')}`
  // No provider is bound in this test, so payments get 503.
  if (answer.body.code !== 'SERVICE_UNAVAILABLE') assert.ok(answer.status < 500, what)
  if (answer.status >= 400 && answer.body.transaction === undefined) assertGeneralError(answer)
  // Another method, or a path that the id turned into another one: not this operation's answer.
  if ([404, 405].includes(answer.status) || !operation.startsWith(method)) return
  const schema =
    operations.get(operation)?.responses[answer.status]?.content['application/json'].schema
  assert.ok(schema !== undefined, `not declared by ${what}`)
  assert.ok(follows(schema, answer.body), `not as declared by ${what}`)
}

it('random requests get only documented statuses and bodies (S2)', async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  context.diagnostic(`seed ${seed}`)
  const statuses = new Map<number, number>()
  const together = fc.array(sent, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(together, async (requests) => {
      const answers = await Promise.all(
        requests.map(({ method, path, key, headers, body = '' }) =>
          app.send(`${method} ${path}`, { key, headers, body }),
        ),
      )
      // Not kept: half a million requests write gigabytes.
      const bugs = app.logged.splice(0).filter(({ level }) => level === 'error')
      requests.forEach((request, index) => judge(request, answers[index] as Answer, bugs))
      assert.deepEqual(bugs, [])
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
    {
      numRuns: sized(150, 600, 50_000),
      seed,
      interruptAfterTimeLimit: sized(60, 60, 36_000) * 1000,
    },
  )
  context.diagnostic(JSON.stringify([...statuses].sort(([a], [b]) => a - b)))
  for (const status of [200, 201, 400, 401, 404, 405, 415])
    assert.ok((statuses.get(status) ?? 0) > 2, `${status} occurred too rarely`)
})
