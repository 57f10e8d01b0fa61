import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { addEcho, assertGeneralError, echo, echoBody, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const app = await gateway.start({ routes: addEcho })
const json = JSON.stringify(echoBody)
const withNote = (note: string) => `${json.slice(0, -1)},"note":${note}}`
const fill = (bytes: number) => withNote(JSON.stringify('x'.repeat(bytes - json.length - 10)))
const deep = (open: string, close: string) => open.repeat(30_000) + close.repeat(30_000)
const typed = (type: string) => ({ 'content-type': type })

describe('an accepted body', () => {
  const scenarios: [name: string, body: string | Buffer, headers?: Record<string, string>][] = [
    ['of plain JSON', json],
    ['with a byte order mark', `\ufeff${json}`],
    ['with white space around it', `\r\n\t ${json} \n`],
    ['with a charset', json, typed('application/json; charset=utf-8')],
    ['with a charset in capitals and quotes', json, typed('Application/JSON;charset="UTF-8"')],
    ['with the charset written utf8', json, typed('application/json; charset=utf8')],
    ['with an unknown field', withNote('{"any": ["thing"]}')],
    ['with characters beyond the basic plane', withNote('"😀"')],
    ['with a field called like a method', withNote('{"constructor": 1, "toString": 2}')],
    ['with 63 nested lists in an unknown field', withNote('['.repeat(63) + ']'.repeat(63))],
    ['with 1,000 lists beside each other', withNote(`[${'[],'.repeat(999)}[]]`)],
    ['with 1,000 brackets in a text', withNote(JSON.stringify('[\\"{'.repeat(500)))],
    ['of exactly 65,536 bytes', fill(65_536)],
  ]
  for (const [name, body, headers = {}] of scenarios)
    it(`a body ${name} is accepted`, async () => {
      const answer = await app.send(`POST ${echo}`, { body, headers })
      assert.equal(answer.status, 201, answer.text)
      const repeatable = {
        ...headers,
        'idempotency-key': `accepted ${name}`.replaceAll(/\W/g, '-'),
      }
      assert.equal((await app.send(`POST ${echo}`, { body, headers: repeatable })).status, 201)
      const { externalTransactionId, amount, number } = echoBody
      assert.deepEqual(answer.body, { externalTransactionId, amount, number })
    })
})

describe('a body that cannot be parsed', () => {
  const utf16 = Buffer.from(json, 'utf16le')
  const gzip = gzipSync(json)
  const tooDeep = /nested deeper than 64 levels/
  type Headers = Record<string, string | undefined>
  const scenarios: [string, string | Buffer | undefined, number, RegExp, Headers?][] = [
    ['plain text', json, 415, /must be JSON/, typed('text/plain')],
    ['a form', 'amount=500', 415, /must be JSON/, typed('application/x-www-form-urlencoded')],
    ['a form with files', json, 415, /must be JSON/, typed('multipart/form-data; boundary=x')],
    ['XML', '<a/>', 415, /must be JSON/, typed('application/xml')],
    ['something like JSON', json, 415, /must be JSON/, typed('application/jsonp')],
    ['a media type based on JSON', json, 415, /must be JSON/, typed('application/hal+json')],
    ['several types', json, 415, /must be JSON/, typed('application/json, text/plain')],
    ['an invalid media type', json, 415, /must be JSON/, typed('json')],
    ['an empty media type', json, 415, /must be JSON/, typed('')],
    ['no media type', json, 415, /must be JSON/, { 'content-type': undefined }],
    ['UTF-16', utf16, 415, /must be JSON/, typed('application/json; charset=utf-16')],
    ['UTF-16 without a charset', utf16, 400, /not valid|control or broken/],
    ['Latin 1', json, 415, /must be JSON/, typed('application/json; charset=iso-8859-1')],
    ['gzip', gzip, 415, /must not be compressed/, { 'content-encoding': 'gzip' }],
    ['gzip without Content-Encoding', gzip, 400, /not valid UTF-8/],
    ['brotli', json, 415, /must not be compressed/, { 'content-encoding': 'br' }],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, /not valid UTF-8/],
    ['Latin 1 without a charset', Buffer.from(withNote('"é"'), 'latin1'), 400, /valid UTF-8/],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400, /valid UTF-8/],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 400, /not valid UTF-8/],
    ['half an object', '{"amount":', 400, /not valid JSON/],
    ['single quotes', "{'amount':500}", 400, /not valid JSON/],
    ['a comma too many', '{"amount":500,}', 400, /not valid JSON/],
    ['a comment', '{/**/}', 400, /not valid JSON/],
    ['two objects', '{}{}', 400, /not valid JSON/],
    ['NaN', '{"amount":NaN}', 400, /not valid JSON/],
    ['Infinity', '{"amount":-Infinity}', 400, /not valid JSON/],
    ['undefined', 'undefined', 400, /not valid JSON/],
    ['a hexadecimal number', '{"amount":0x1f4}', 400, /not valid JSON/],
    ['a number with a zero in front', '{"amount":0500}', 400, /not valid JSON/],
    ['a raw NUL', '{"note":"\0"}', 400, /not valid JSON/],
    ['a raw line break', '{"note":"\n"}', 400, /not valid JSON/],
    ['nothing but a NUL', '\0', 400, /not valid JSON/],
    ['a prototype', '{"__proto__":{"amount":500}}', 400, /not valid JSON/],
    ['a prototype, escaped', '{"\\u005f_proto__":1}', 400, /not valid JSON/],
    ['a prototype, deep', withNote('[{"__proto__":1}]'), 400, /not valid JSON/],
    ['a constructor', '{"constructor":{"prototype":1}}', 400, /not valid JSON/],
    ['30,000 lists', deep('[', ']'), 400, tooDeep],
    ['30,000 lists that never end', '['.repeat(60_000), 400, tooDeep],
    ['10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400, tooDeep],
    ['30,000 lists in an object', withNote(deep('[', ']')), 400, tooDeep],
    ['64 lists in an object', withNote('['.repeat(64) + ']'.repeat(64)), 400, tooDeep],
    ['lists after texts', withNote('["]",'.repeat(70) + ']'.repeat(70)), 400, tooDeep],
    ['65,537 bytes', fill(65_537), 413, /larger than 65536 bytes/],
    [
      '65,537 bytes of unknown length',
      fill(65_537),
      413,
      /larger than 65536 bytes/,
      { 'content-length': undefined, 'transfer-encoding': 'chunked' },
    ],
    ['a million bytes', 'x'.repeat(1_000_000), 413, /larger than 65536 bytes/],
  ]
  for (const [name, body, status, message, headers = {}] of scenarios)
    it(`a body of ${name} is refused with ${status}`, async () => {
      const repeatable = { 'idempotency-key': `refused-${name}`.replaceAll(/\W/g, '-'), ...headers }
      const sending = { headers: repeatable, ...(body === undefined ? {} : { body }) }
      const answer = await app.send(`POST ${echo}`, sending)
      assert.equal(answer.status, status, answer.text)
      assertGeneralError(answer)
      assert.match(String(answer.body.message), message)
    })
})

describe('a body that is not an object', () => {
  const missing = /externalTransactionId is required.*serviceCode.*amount.*number is required/
  const scenarios: [name: string, body: string | undefined, message: RegExp][] = [
    ['no body', undefined, missing],
    ['an empty body', '', missing],
    ['white space', ' \n', missing],
    ['null', 'null', /must be a JSON object/],
    ['true', 'true', /must be a JSON object/],
    ['a number', '500', /must be a JSON object/],
    ['a number too large for a double', '1e999', /must be a JSON object/],
    ['a text', '"amount"', /must be a JSON object/],
    ['an empty list', '[]', /must be a JSON object/],
    ['a list of bodies', `[${json}]`, /must be a JSON object/],
  ]
  for (const [name, body, message] of scenarios)
    it(`${name} is refused: ${message.source.slice(0, 40)}`, async () => {
      const answer = await app.send(`POST ${echo}`, body === undefined ? {} : { body })
      assert.equal(answer.status, 400)
      assertGeneralError(answer, 'VALIDATION_FAILED')
      assert.match(String(answer.body.message), message)
    })
})

it('a body that is not an object is refused before any rule reads its fields', async () => {
  const [required, optional] = [
    'POST /api/v1/transaction/init',
    'POST /api/v1/transaction/refund/1',
  ]
  for (const body of ['null', 'true', '500', '"a"', '[]', '[null]'])
    for (const target of body === 'null' ? [required] : [required, optional]) {
      const answer = await app.send(target, { body })
      assert.equal(answer.status, 400, answer.text)
      assert.deepEqual(answer.body.message, ['The body must be a JSON object'])
    }
})

describe('a character that PostgreSQL cannot store', () => {
  const named = (field: string) => `${field} must not contain control or broken characters`
  const unnamed = 'The request must not contain control or broken characters'
  const scenarios: [name: string, target: string, body: string | undefined, ...string[]][] = [
    ['NUL in a value', `POST ${echo}`, withNote('"a\\u0000"'), named('note')],
    [
      'NUL in a field',
      `POST ${echo}`,
      json.replace('order-1', '\\u0000'),
      named('externalTransactionId'),
    ],
    ['NUL in a list', `POST ${echo}`, withNote('["a", {"b": "\\u0000"}]'), named('note')],
    ['NUL in a key', `POST ${echo}`, `{"a\\u0000":1}`, unnamed],
    ['NUL in a key inside', `POST ${echo}`, withNote('{"\\u0000":1}'), named('note')],
    ['a lone high surrogate', `POST ${echo}`, withNote('"\\ud800"'), named('note')],
    ['a lone low surrogate', `POST ${echo}`, withNote('"\\udc00x"'), named('note')],
    ['a lone surrogate in a key', `POST ${echo}`, withNote('{"\\ud800":1}'), named('note')],
    [
      'NUL in a field named like a method',
      `POST ${echo}`,
      '{"toString":"\\u0000"}',
      named('toString'),
    ],
    ['NUL in two fields', `POST ${echo}`, '{"a":"\\u0000","b":"\\u0000"}', named('b'), named('a')],
    ['NUL in the path', `GET ${echo}/a%00b`, undefined, named('id')],
    ['NUL in the query', `GET ${echo}/1?q=%00`, undefined, named('q')],
    ['NUL in a name in the query', `GET ${echo}/1?a%00b=1`, undefined, unnamed],
    ['NUL twice in the query', `GET ${echo}/1?q=1&q=%00`, undefined, named('q')],
    [
      'NUL in a query parameter called __proto__',
      `GET ${echo}/1?__proto__=%00`,
      undefined,
      named('__proto__'),
    ],
  ]
  for (const [name, target, body, ...messages] of scenarios)
    it(`${name} is refused`, async () => {
      const answer = await app.send(target, body === undefined ? {} : { body })
      assert.equal(answer.status, 400, answer.text)
      assertGeneralError(answer, 'VALIDATION_FAILED')
      assert.deepEqual(answer.body.message, messages)
    })
})

it('no request of this file was logged as a bug', () => {
  assert.deepEqual(
    app.logged.filter(({ level }) => level === 'error'),
    [],
  )
})
