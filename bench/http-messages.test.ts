import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it, test } from 'node:test'
import { createMessageReader, createRequestWriter, describeRefusal } from './http-messages.ts'

const created = 'HTTP/1.1 201 Created\r\nContent-Length: 7\r\nvary: *'
const noContent = 'HTTP/1.1 204 No Content\r\nconnection: keep-alive'
const getRequest = 'GET /box HTTP/1.1\r\nhost: a'
const postRequest = 'POST /box HTTP/1.1\r\ncontent-length:3'
const stream = [created, '{"a":1}', noContent, '', getRequest, '', postRequest, '\r\n\r']
  .map((part, index) => (index % 2 === 0 ? `${part}\r\n\r\n` : part))
  .join('')
const messages: [head: string, body: string][] = [
  [created, '{"a":1}'],
  [noContent, ''],
  [getRequest, ''],
  [postRequest, '\r\n\r'],
]

function readAll(chunks: string[]): [head: string, body: string][] {
  const found: [string, string][] = []
  const read = createMessageReader((head, body) => found.push([head, body]))
  for (const chunk of chunks) read(chunk)
  return found
}

describe('the message reader', () => {
  it('reads several messages from one chunk', () => {
    assert.deepEqual(readAll([stream]), messages)
    assert.deepEqual(readAll([stream + stream]), [...messages, ...messages])
  })

  it('reads messages cut at any byte', () => {
    assert.deepEqual(readAll(stream.split('')), messages)
    for (let cut = 0; cut <= stream.length; cut += 1)
      assert.deepEqual(
        readAll([stream.slice(0, cut), stream.slice(cut)]),
        messages,
        `cut at ${cut}`,
      )
  })

  it('reports a message only when it is complete', () => {
    assert.deepEqual(readAll([stream.slice(0, -1)]), messages.slice(0, -1))
    assert.deepEqual(readAll(['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort']), [])
    assert.deepEqual(readAll(['HTTP/1.1 204 No Content\r\n']), [])
  })

  it('measures a body in bytes, not characters', () => {
    const body = Buffer.from('{"nom":"Aïssatou 🧾"}')
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}`
    const [first, second] = readAll([
      `${head}\r\n\r\n${body.toString('latin1')}`,
      `${noContent}\r\n\r\n`,
    ])
    assert.equal(Buffer.from(first?.[1] ?? '', 'latin1').toString(), body.toString())
    assert.deepEqual(second, [noContent, ''])
  })
})

describe('the message reader refuses a message of unknown length', () => {
  const malformed: [headers: string, message: RegExp][] = [
    ['Transfer-Encoding: chunked', /^Error: transfer-encoding cannot be read here$/],
    ['content-length: 1\r\ntransfer-encoding: gzip', /transfer-encoding/],
    ['content-length: many', /^Error: content-length is "many"$/],
    ['content-length: -1', /content-length is "-1"/],
    ['content-length:', /content-length is ""/],
    ['x-content-length: 1', /no content-length/],
  ]
  for (const [headers, message] of malformed)
    it(headers.replace('\r\n', ', '), () =>
      assert.throws(() => readAll([`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`]), message),
    )
})

describe('the request writer', () => {
  const post = {
    method: 'POST',
    path: '/pay',
    headers: { authorization: 'Bearer s', 'content-type': 'application/json' },
    body: '{"id":"{n}","nom":"Aïssatou 🧾"}',
  } as const

  it('writes the text for {n} into the path, beside the fixed headers', () => {
    const write = createRequestWriter(
      { method: 'GET', path: '/of/{n}', headers: { accept: 'a' } },
      'h:1',
    )
    const head = ' HTTP/1.1\r\nhost: h:1\r\nconnection: keep-alive\r\naccept: a\r\n\r\n'
    assert.equal(write('x-1'), `GET /of/x-1${head}`)
    assert.equal(write('x-10'), `GET /of/x-10${head}`)
  })

  it('writes a different x-forwarded-for address for each request', () => {
    const headers = { 'x-forwarded-for': '{n}' }
    const write = createRequestWriter({ method: 'GET', path: '/', headers }, 'h')
    assert.match(write('a-1'), /\r\nx-forwarded-for: 10\.0\.0\.1\r\n\r\n$/)
    assert.match(write('a-66051'), /\r\nx-forwarded-for: 10\.1\.2\.3\r\n\r\n$/)
  })

  it('writes requests that the message reader reads', () => {
    const write = createRequestWriter(post, 'h')
    const bodies = readAll([write('a-9') + write('a-10')]).map(([, body]) =>
      Buffer.from(body, 'latin1').toString(),
    )
    assert.deepEqual(bodies, [
      '{"id":"a-9","nom":"Aïssatou 🧾"}',
      '{"id":"a-10","nom":"Aïssatou 🧾"}',
    ])
  })

  it('writes a request that Node’s HTTP server reads', async () => {
    const server = createServer((request, response) => {
      const { method, url, headers } = request
      void text(request).then((body) =>
        response.end(JSON.stringify({ method, url, headers, body })),
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const responseBody = new Promise<string>((resolve) => {
      const read = createMessageReader((_head, body) =>
        resolve(Buffer.from(body, 'latin1').toString()),
      )
      socket.on('data', (chunk) => read(chunk.toString('latin1')))
    })
    socket.write(createRequestWriter(post, `127.0.0.1:${port}`)('a-10'), 'latin1')
    assert.deepEqual(JSON.parse(await responseBody), {
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

test('refusals of the same cause get the same description', () => {
  const refused = (id: string, requestId: string) =>
    `{"message":["${id} is taken"],"success":false,"code":"X","requestId":"${requestId}"}`
  const first = describeRefusal(409, refused('01a1e18e-ba2c-70a9-8754-1a4f3f2db2b7', 'req_x7ThHz1'))
  assert.equal(first, '409 ["… is taken"]')
  assert.equal(
    describeRefusal(409, refused('01a1e18e-ba2c-70a9-8754-1a4f3f2db2b8', 'req_Q4')),
    first,
  )
  assert.equal(describeRefusal(502, '<h1>Bad gateway</h1>'), '502 <h1>Bad gateway</h1>')
})
