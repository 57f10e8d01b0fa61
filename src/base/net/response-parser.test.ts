import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { MalformedResponse, type ResponseHeaders, ResponseParser } from './response-parser.ts'

interface Parsed {
  status: number
  headers: ResponseHeaders
  body: string
  /** Undefined: the response has not ended. */
  isReusable: boolean | undefined
}

/** What the handler gets of bytes in these pieces; `isClosed`: the connection then ends. */
function parse(pieces: Buffer[], isClosed = false): Parsed {
  const parser = new ResponseParser()
  const parsed: Parsed = { status: 0, headers: {}, body: '', isReusable: undefined }
  parser.expect({
    onHead: (status, headers) => Object.assign(parsed, { status, headers }),
    onData: (bytes) => {
      parsed.body += bytes.toString('latin1')
    },
    onEnd: (isReusable) => {
      assert.equal(parsed.isReusable, undefined, 'onEnd is called once')
      parsed.isReusable = isReusable
    },
  })
  for (const piece of pieces) parser.feed(piece)
  if (isClosed) parser.finish()
  return parsed
}

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
const text = (...parts: string[]) => [Buffer.from(parts.join(''), 'latin1')]
const bytesOf = (whole: string) => [...Buffer.from(whole, 'latin1')].map((byte) => Buffer.of(byte))

describe('a response is parsed', () => {
  // bytes received, status, body, whether the connection can carry another request
  const scenarios: [string, number, string, boolean][] = [
    [`${ok}content-length: 5\r\n\r\nhello`, 200, 'hello', true],
    [`${ok}Content-Length:5\r\nCONNECTION: Keep-Alive\r\n\r\nhello`, 200, 'hello', true],
    [`${ok}content-length: 5\r\nconnection: close\r\n\r\nhello`, 200, 'hello', false],
    [`${ok}content-length: 5\r\nconnection: a, Close\r\n\r\nhello`, 200, 'hello', false],
    [`${ok}content-length: 5\r\nconnection: enclosed\r\n\r\nhello`, 200, 'hello', true],
    [`${ok}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`, 200, 'hello', true],
    [`${ok}content-length: 0\r\n\r\n`, 200, '', true],
    ['HTTP/1.1 404 \r\ncontent-length: 2\r\n\r\nno', 404, 'no', true],
    ['HTTP/1.1 500\r\ncontent-length: 2\r\n\r\nno', 500, 'no', true],
    ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', 200, 'ok', false],
    ['HTTP/1.1 204 No Content\r\n\r\n', 204, '', true],
    ['HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n', 204, '', true],
    ['HTTP/1.1 204 No Content\r\ncontent-length: 9\r\n\r\n', 204, '', false],
    ['HTTP/1.1 204 No Content\r\ncontent-length: none\r\n\r\n', 204, '', false],
    ['HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n', 204, '', false],
    ['HTTP/1.1 204 OK\r\ntransfer-encoding: gzip\r\ncontent-length: 9\r\n\r\n', 204, '', false],
    ['HTTP/1.0 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n', 204, '', false],
    ['HTTP/1.1 304 Not Modified\r\n\r\n', 304, '', true],
    ['HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n', 304, '', true],
    ['HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n', 304, '', false],
    [
      `HTTP/1.1 102 Wait\r\ncontent-length: 9\r\n\r\n${ok}content-length: 1\r\n\r\n1`,
      200,
      '1',
      true,
    ],
    [`HTTP/1.1 102 Wait\r\ntransfer-encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`, 200, '', true],
    [`${ok}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 200, '', true],
    [`${ok}Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`, 200, 'hello', true],
    [`${chunked}00A;x="y"\r\n0123456789\r\n1 \r\n!\r\n0\r\na: b\r\n\r\n`, 200, '0123456789!', true],
    [`HTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 1\r\n\r\n1`, 200, '1', true],
    [`HTTP/1.1 103 Hints\r\na: b\r\n\r\n${ok}content-length: 1\r\n\r\n1`, 200, '1', true],
  ]
  for (const [whole, status, body, isReusable] of scenarios)
    it(`parses ${JSON.stringify(whole.slice(0, 90))}`, () => {
      for (const pieces of [text(whole), bytesOf(whole)]) {
        const parsed = parse(pieces)
        assert.deepEqual(
          [parsed.status, parsed.body, parsed.isReusable],
          [status, body, isReusable],
        )
        assert.equal(parsed.headers.a, undefined)
      }
    })

  it('a response without a length ends when the connection is closed', () => {
    const whole = `${ok}a: b\r\n\r\neverything`
    assert.equal(parse(text(whole)).isReusable, undefined)
    const closed = parse(text(whole), true)
    assert.deepEqual([closed.body, closed.isReusable], ['everything', false])
  })

  it('a response with a length or chunks does not end when the connection is closed', () => {
    for (const whole of [
      '',
      'HTTP/1.1 2',
      `${ok}content-length: 6\r\n\r\nhello`,
      `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
      `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`,
    ])
      assert.equal(parse(text(whole), true).isReusable, undefined, whole)
  })

  it('header names are lower-cased, and repeated values are joined', () => {
    const { headers } = parse(
      text(ok, 'A: 1\r\na:2\r\nX-Y:  z \t\r\nempty:\r\n__proto__: x\r\nconstructor: c\r\n\r\n'),
      true,
    )
    assert.deepEqual({ ...headers }, { a: '1, 2', 'x-y': 'z', empty: '', constructor: 'c' })
  })
})

describe('a malformed or ambiguous response is refused', () => {
  const malformed: string[] = [
    'hello\r\n\r\n',
    'SSH-2.0-OpenSSH_9.7\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/1.1 099 OK\r\n\r\n',
    'HTTP/1.1  200 OK\r\n\r\n',
    'http/1.1 200 OK\r\n\r\n',
    ' HTTP/1.1 200 OK\r\n\r\n',
    '\r\nHTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n',
    `${ok}a b: c\r\n\r\n`,
    `${ok}a : b\r\n\r\n`,
    `${ok}: b\r\n\r\n`,
    `${ok}a\r\n\r\n`,
    `${ok} a: b\r\n\r\n`,
    `${ok}a: b\r\n c\r\n\r\n`,
    `${ok}a: b\nc: d\r\n\r\n`,
    `${ok}a: b\rc: d\r\n\r\n`,
    `${ok}a: \0\r\n\r\n`,
    `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`,
    `${ok}content-length: 5, 5\r\n\r\nhello`,
    `${ok}content-length: -5\r\n\r\nhello`,
    `${ok}content-length: +5\r\n\r\nhello`,
    `${ok}content-length: 5 \x0b6\r\n\r\nhello`,
    `${ok}content-length: 0x5\r\n\r\nhello`,
    `${ok}content-length: 5.0\r\n\r\nhello`,
    `${ok}content-length:\r\n\r\nhello`,
    `${ok}content-length: 9999999999999999\r\n\r\nhello`,
    `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: gzip, chunked\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`,
    `${ok}transfer-encoding: identity\r\n\r\n`,
    'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    `${chunked}\r\n`,
    `${chunked}zz\r\n`,
    `${chunked}-5\r\nhello\r\n`,
    `${chunked}0x5\r\nhello\r\n`,
    `${chunked}5\nhello\r\n`,
    `${chunked}5\r\nhello!\r\n`,
    `${chunked}5\r\nhello\n0\r\n\r\n`,
    `${chunked}1000000000000\r\n`,
    `${chunked}1;${'x'.repeat(5000)}\r\n`,
    `${chunked}0\r\na: b\n\r\n`,
    `${chunked}0\r\n${'a: b\r\n'.repeat(5000)}\r\n`,
    `${ok}a: ${'x'.repeat(16_385)}\r\n\r\n`,
    `${ok}a: ${'x'.repeat(100_000)}`,
    'x'.repeat(100_000),
  ]
  for (const whole of malformed)
    it(`refuses ${JSON.stringify(whole.slice(0, 90))}`, () => {
      assert.throws(() => parse(text(whole)), MalformedResponse)
      assert.throws(() => parse(bytesOf(whole)), MalformedResponse)
    })

  it('the body of an answer that has none is refused, and never taken for the next answer', () => {
    const end = '0\r\n\r\n'
    const head = 'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n'
    assert.throws(() => parse(text(head, end)), /unexpected bytes/)
  })

  it('bytes behind a response, or before any request, are refused', () => {
    const whole = `${ok}content-length: 1\r\n\r\n1`
    assert.throws(() => parse(text(whole, whole)), /unexpected bytes/)
    assert.throws(() => new ResponseParser().feed(Buffer.from('H')), /unexpected bytes/)
  })
})

const pieceLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })

/** Splits bytes into pieces of these lengths, which are used in turn. */
function split(whole: Buffer, lengths: number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0, turn = 0; at < whole.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    pieces.push(whole.subarray(at, at + length))
    at += length
  }
  return pieces
}

test('any response is parsed as it was written, however it is split into reads', () => {
  const answers = fc.record({
    status: fc.integer({ min: 200, max: 599 }).filter((one) => one !== 204 && one !== 304),
    hints: fc.integer({ min: 0, max: 2 }),
    body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    chunkLengths: fc.option(pieceLengths),
    trailer: fc.boolean(),
  })
  fc.assert(
    fc.property(answers, pieceLengths, (answer, lengths) => {
      const { status, hints, body, chunkLengths, trailer } = answer
      const latin1 = body.toString('latin1')
      const framed =
        chunkLengths === null
          ? `content-length: ${body.length}\r\n\r\n${latin1}`
          : `transfer-encoding: chunked\r\n\r\n${split(body, chunkLengths)
              .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`)
              .join('')}0\r\n${trailer ? 'a: b\r\n' : ''}\r\n`
      const head = 'HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n'.repeat(hints)
      const [whole = Buffer.of()] = text(head, `HTTP/1.1 ${status} Some\r\nx: y\r\n${framed}`)
      const parsed = parse(split(whole, lengths))
      assert.deepEqual([parsed.status, parsed.headers.x, parsed.isReusable], [status, 'y', true])
      assert.equal(parsed.body, latin1)
      // It does not end before its last byte.
      assert.equal(parse(split(whole.subarray(0, -1), lengths), true).isReusable, undefined)
    }),
    { numRuns: 500 },
  )
})

test('any bytes give the same result, or the same refusal, however they are split', () => {
  const parts = fc.constantFrom(
    ...'\r\n \r \n : 3 0 ; a abc \0 \r\n\r\n HTTP/1.1_200_OK HTTP/1.0_200 connection:_close'
      .concat(' content-length:_3 transfer-encoding:_chunked _')
      .split(' ')
      .map((word) => word.replaceAll('_', ' ')),
  )
  const outcome = (pieces: Buffer[]) => {
    try {
      return { ...parse(pieces, true) }
    } catch (problem) {
      assert.ok(problem instanceof MalformedResponse, String(problem))
      return 'refused'
    }
  }
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), pieceLengths, (words, lengths) => {
      const [whole = Buffer.of()] = text(words.join(''))
      assert.deepEqual(outcome(split(whole, lengths)), outcome([whole]))
    }),
    { numRuns: 2000 },
  )
})
