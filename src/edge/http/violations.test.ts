import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { type TSchema, Type } from 'typebox'
import { openHttp } from './server.ts'

const range = { minimum: 200, maximum: 1_000_000 }
const country = Type.Union([Type.Literal('SN'), Type.Literal('CI')])
const inner = Type.Object({ id: Type.String(), amount: Type.Integer() })
const sentAsNumber = ' was sent as a number: send it as text, in quotes'
const asText = `field${sentAsNumber}`
const asNumber = 'field was sent as text: send it as a number, without quotes'
const text = (value: string) => JSON.stringify(value)

// the schema of a field, JSON that breaks it, the sentences of the answer
type Scenario = [rule: TSchema, json: string, ...sentences: string[]]
const scenarios: Scenario[] = [
  [Type.Integer(range), '199', 'field must be a whole number from 200 to 1000000'],
  [Type.Integer(range), '200.5', 'field must be a whole number from 200 to 1000000'],
  [Type.Integer(range), '"200.5"', 'field must be a whole number from 200 to 1000000'],
  [Type.Integer(range), 'null', 'field must be a whole number from 200 to 1000000'],
  [Type.Integer({ minimum: 1 }), '0', 'field must be a whole number of at least 1'],
  [Type.Integer(), '0.5', 'field must be a whole number'],
  [Type.Integer(range), '"5e3"', 'field must be a whole number from 200 to 1000000'],
  [Type.Integer(range), '"abc"', 'field must be a whole number from 200 to 1000000'],
  [Type.Number(), '"1"', asNumber],
  [Type.Number(), '"one"', 'field must be a number'],
  [Type.Boolean(), '"true"', 'field must be true or false'],
  [Type.Boolean(), '1', 'field must be true or false'],
  [Type.String(), '1', asText],
  [Type.String(), '["a"]', 'field must be a string'],
  [
    Type.String({ minLength: 1, maxLength: 3 }),
    text('four'),
    'field must be a string of 1 to 3 characters',
  ],
  [Type.String({ maxLength: 3 }), text('four'), 'field must be a string of 0 to 3 characters'],
  [
    Type.String({ pattern: '^[0-9]{9}$' }),
    text('77'),
    'field must be exactly 9 digits, without country code',
  ],
  ...['+225 07 12 34 56 78', '2250712345678', '00225 0712345678'].map(
    (number): Scenario => [
      Type.String({ pattern: '^[0-9]{9}$' }),
      text(number),
      'field has the code +225 of CI: send its 9 digits with a service of CI',
    ],
  ),
  ...['+33612345678', '+221 77 12', '0712345678'].map(
    (number): Scenario => [
      Type.String({ pattern: '^[0-9]{9}$' }),
      text(number),
      'field must be exactly 9 digits, without country code',
    ],
  ),
  ...['null', '["771234567"]', '{}'].map(
    (value): Scenario => [
      Type.String({ pattern: '^[0-9]{9}$' }),
      value,
      'field must be exactly 9 digits, without country code',
    ],
  ),
  [Type.String({ pattern: '^[0-9]{9}$' }), '771234567', asText],
  [Type.String({ minLength: 1, maxLength: 3 }), '1.5', asText],
  [Type.String({ pattern: '^x' }), text('y'), 'field is not valid'],
  [country, text('ZZ'), 'field must be one of SN, CI'],
  [country, '1', 'field must be one of SN, CI'],
  [Type.Enum(['SN', 'CI']), text('ZZ'), 'field must be one of SN, CI'],
  [Type.Array(Type.String()), '"a"', 'field must be an array'],
  [
    Type.Array(Type.String()),
    '["a", 1, null]',
    `field.1${sentAsNumber}`,
    'field.2 must be a string',
  ],
  [Type.Array(country), '["SN", "ZZ"]', 'field.1 must be one of SN, CI'],
  [inner, '{}', 'field.id is required', 'field.amount is required'],
  [
    inner,
    '{"ID": "a", "ammount": 1, "x": 2}',
    'field.id is required: you sent ID, did you mean field.id?',
    'field.amount is required: you sent ammount, did you mean field.amount?',
  ],
  [
    inner,
    '{"id": 1, "amount": 1.5}',
    `field.id${sentAsNumber}`,
    'field.amount must be a whole number',
  ],
]

const log = pino({ level: 'silent' })
const http = await openHttp({ log, isHttps: false, trustedProxies: [] })
scenarios.forEach(([rule], index) => {
  const schema = { body: Type.Object({ field: rule }) }
  http.post(`/${index}`, { schema }, async () => ({ status: 'passed' }))
})
const url = await http.listen({ host: '127.0.0.1', port: 0 })
after(() => http.close())

describe('a violation of the schema', () => {
  scenarios.forEach(([, json, ...sentences], index) => {
    it(`by ${json} is described: ${sentences.join('; ')}`, async () => {
      assert.deepEqual(await refusalOf(index, `{"field": ${json}}`), sentences)
    })
  })

  it('is described for the first hundred of 10,000 wrong values', async () => {
    const index = scenarios.findIndex(([, json]) => json === '["SN", "ZZ"]')
    const body = `{"field": ${JSON.stringify(Array.from({ length: 10_000 }, () => 'ZZ'))}}`
    const wanted = (_: unknown, place: number) => `field.${place} must be one of SN, CI`
    assert.deepEqual(await refusalOf(index, body), Array.from({ length: 100 }, wanted))
  })

  const wholes: [name: string, body: string, sentence: string][] = [
    ['a missing field', '{}', 'field is required'],
    ['another field', '{"price": 200}', 'field is required'],
    [
      'a field in another case',
      '{"Field": 200}',
      'field is required: you sent Field, did you mean field?',
    ],
    ['an array', '[]', 'The body must be a JSON object'],
    ['nothing but null', 'null', 'The body must be a JSON object'],
  ]
  for (const [name, body, sentence] of wholes)
    it(`by ${name} is described: ${sentence}`, async () => {
      assert.deepEqual(await refusalOf(0, body), [sentence])
    })
})

async function refusalOf(index: number, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/${index}`, { method: 'POST', headers, body })
  assert.equal(answer.status, 400)
  const { message } = (await answer.json()) as { message: unknown }
  return message
}
