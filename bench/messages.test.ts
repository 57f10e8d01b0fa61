import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it, test } from 'node:test'
import { messageReader, refusalOf, requestWriter } from './messages.ts'

const created = 'HTTP/1.1 201 Created\r\nContent-Length: 7\r\nvary: *'
const none = 'HTTP/1.1 204 No Content\r\nconnection: keep-alive'
const asked = 'GET /box HTTP/1.1\r\nhost: a'
const posted = 'POST /box HTTP/1.1\r\ncontent-length:3'
const stream = `${created}\r\n\r\n{"a":1}${none}\r\n\r\n${asked}\r\n\r\n${posted}\r\n\r\n\r\n\r`
const whole: [head: string, body: string][] = [
  [created, '{"a":1}'],
  [none, ''],
  [asked, ''],
  [posted, '\r\n\r'],
]

function readAll(pieces: string[]): [head: string, body: string][] {
  const heard: [string, string][] = []
  const read = messageReader((head, body) => heard.push([head, body]))
  for (const piece of pieces) read(piece)
  return heard
}

describe('messages are read', () => {
  it('when many come in one piece', () => {
    assert.deepEqual(readAll([stream]), whole)
    assert.deepEqual(readAll([stream + stream]), [...whole, ...whole])
  })

  it('wherever they are cut', () => {
    assert.deepEqual(readAll(stream.split('')), whole)
    for (let cut = 0; cut <= stream.length; cut += 1)
      assert.deepEqual(readAll([stream.slice(0, cut), stream.slice(cut)]), whole, `cut at ${cut}`)
  })

  it('only once they are whole', () => {
    assert.deepEqual(readAll([stream.slice(0, -1)]), whole.slice(0, -1))
    assert.deepEqual(readAll(['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort']), [])
    assert.deepEqual(readAll(['HTTP/1.1 204 No Content\r\n']), [])
  })

  it('by the bytes of their bodies', () => {
    const body = Buffer.from('{"nom":"Aïssatou 🧾"}')
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}`
    const [first, second] = readAll([
      `${head}\r\n\r\n${body.toString('latin1')}`,
      `${none}\r\n\r\n`,
    ])
    assert.equal(Buffer.from(first?.[1] ?? '', 'latin1').toString(), body.toString())
    assert.deepEqual(second, [none, ''])
  })
})

describe('messages whose end cannot be known are refused', () => {
  const wrong: [line: string, sentence: RegExp][] = [
    ['Transfer-Encoding: chunked', /^Error: transfer-encoding cannot be read here$/],
    ['content-length: 1\r\ntransfer-encoding: gzip', /transfer-encoding/],
    ['content-length: many', /^Error: content-length is "many"$/],
    ['content-length: -1', /content-length is "-1"/],
    ['content-length:', /content-length is ""/],
    ['x-content-length: 1', /no content-length/],
  ]
  for (const [line, sentence] of wrong)
    it(line.replace('\r\n', ', '), () =>
      assert.throws(() => readAll([`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`]), sentence),
    )
})

describe('a request is written', () => {
  const post = {
    method: 'POST',
    path: '/pay',
    headers: { authorization: 'Bearer s', 'content-type': 'application/json' },
    body: '{"id":"{n}","nom":"Aïssatou 🧾"}',
  } as const

  it('with everything in its place', () => {
    const write = requestWriter({ method: 'GET', path: '/of/{n}', headers: { accept: 'a' } }, 'h:1')
    const head = ' HTTP/1.1\r\nhost: h:1\r\nconnection: keep-alive\r\naccept: a\r\n\r\n'
    assert.equal(write('x-1'), `GET /of/x-1${head}`)
    assert.equal(write('x-10'), `GET /of/x-10${head}`)
  })

  it('from another address each time', () => {
    const headers = { 'x-forwarded-for': '{n}' }
    const write = requestWriter({ method: 'GET', path: '/', headers }, 'h')
    assert.match(write('a-1'), /\r\nx-forwarded-for: 10\.0\.0\.1\r\n\r\n$/)
    assert.match(write('a-66051'), /\r\nx-forwarded-for: 10\.1\.2\.3\r\n\r\n$/)
  })

  it('as the reader reads it', () => {
    const write = requestWriter(post, 'h')
    const bodies = readAll([write('a-9') + write('a-10')]).map(([, body]) =>
      Buffer.from(body, 'latin1').toString(),
    )
    assert.deepEqual(bodies, [
      '{"id":"a-9","nom":"Aïssatou 🧾"}',
      '{"id":"a-10","nom":"Aïssatou 🧾"}',
    ])
  })

  it('as a server of Node understands it', async () => {
    const server = createServer((request, response) => {
      const { method, url, headers } = request
      void text(request).then((body) =>
        response.end(JSON.stringify({ method, url, headers, body })),
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const heard = new Promise<string>((done) => {
      const read = messageReader((_head, body) => done(Buffer.from(body, 'latin1').toString()))
      socket.on('data', (chunk) => read(chunk.toString('latin1')))
    })
    socket.write(requestWriter(post, `127.0.0.1:${port}`)('a-10'), 'latin1')
    assert.deepEqual(JSON.parse(await heard), {
      method: 'POST',
      url: '/pay',
      headers: {
        host: `127.0.0.1:${port}`,
        connection: 'keep-alive',
        ...post.headers,
        'content-length': String(Buffer.byteLength(post.body) + 1),
      },
      body: '{"id":"a-10","nom":"Aïssatou 🧾"}',
    })
    socket.destroy()
    server.close()
  })
})

test('what is refused for the same reason is told in the same words', () => {
  const refused = (id: string, requestId: string) =>
    `{"message":["${id} is taken"],"success":false,"code":"X","requestId":"${requestId}"}`
  const first = refusalOf(409, refused('01a1e18e-ba2c-70a9-8754-1a4f3f2db2b7', 'req_x7ThHz1'))
  assert.equal(first, '409 ["… is taken"]')
  assert.equal(refusalOf(409, refused('01a1e18e-ba2c-70a9-8754-1a4f3f2db2b8', 'req_Q4')), first)
  assert.equal(refusalOf(502, '<h1>Bad gateway</h1>'), '502 <h1>Bad gateway</h1>')
})
