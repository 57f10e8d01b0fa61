import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, it } from 'node:test'
import fc from 'fast-check'
import { Agent, request } from 'undici'
import { openConnectionPool } from './pool.ts'
import { sendRequest } from './request.ts'

// undici is the plain version of our own client: both get the same responses from one server.
let response = Buffer.of()
const requests: string[] = []
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    requests.push(String(bytes))
    if (String(bytes).endsWith('\r\n\r\nthe body')) socket.write(response)
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const pool = openConnectionPool(origin, { connectionsMax: 1, idleMs: 60_000 })
const agent = new Agent({ connections: 1 })
after(async () => {
  pool.close()
  await agent.destroy()
  server.close()
})

const body = 'the body'
const headers = { 'x-a': 'b', 'content-type': 'text/plain' }

async function askWithOurs() {
  const limits = { deadlineMs: 10_000, bodyBytesMax: 10_000, whenTooLong: 'lost' } as const
  const result = await sendRequest(pool, { method: 'POST', path: '/a?b', headers, body, ...limits })
  assert.ok(result.kind === 'answered', JSON.stringify(result))
  return { status: result.status, headers: { ...result.headers }, body: result.body }
}

async function askWithUndici() {
  const options = { method: 'POST', headers, body, dispatcher: agent } as const
  const result = await request(`${origin}/a?b`, options)
  const joined = Object.entries(result.headers).map(([name, value]) => [
    name,
    // undici keeps white space behind a value, which RFC 9110 does not count as part of it.
    [value]
      .flat()
      .map((one) => one?.trim())
      .join(', '),
  ])
  const text = await result.body.text()
  return { status: result.statusCode, headers: Object.fromEntries(joined), body: text }
}

/** The header lines of a request in a comparable order. */
function headerLines(text: string | undefined): string[] {
  const [head = ''] = (text ?? '').split('\r\n\r\n')
  return head.toLowerCase().split('\r\n').sort()
}

const header = fc.tuple(
  fc.constantFrom('X-One', 'x-one', 'x-two', 'Set-Cookie', 'empty'),
  fc.constantFrom('', 'a', ' b ', 'c, d', '"e"', 'timeout=5'),
)
const text = fc.string({ unit: 'grapheme', maxLength: 200 }).map((one) => Buffer.from(one))
const chunkLengths = fc.option(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }))

function frame(content: Buffer, lengths: number[] | null): Buffer {
  if (lengths === null)
    return Buffer.concat([Buffer.from(`content-length: ${content.length}\r\n\r\n`), content])
  const parts: Buffer[] = [Buffer.from('transfer-encoding: chunked\r\n\r\n')]
  for (let at = 0, turn = 0; at < content.length; turn += 1) {
    const chunk = content.subarray(at, at + (lengths[turn % lengths.length] ?? 1))
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
    at += chunk.length
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

it('our client reads any well-formed response as undici does', async () => {
  const status = fc.integer({ min: 200, max: 599 }).filter((one) => one !== 204 && one !== 304)
  await fc.assert(
    fc.asyncProperty(
      status,
      fc.array(header, { maxLength: 5 }),
      text,
      chunkLengths,
      async (code, lines, content, lengths) => {
        const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
        const start = Buffer.from(`HTTP/1.1 ${code} Text\r\n${head}`)
        response = Buffer.concat([start, frame(content, lengths)])
        assert.deepEqual(await askWithOurs(), await askWithUndici())
      },
    ),
    { numRuns: 300 },
  )
})

it('our client writes a request as undici does', async () => {
  response = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  requests.length = 0
  await askWithOurs()
  await askWithUndici()
  assert.equal(requests.length, 2)
  assert.deepEqual(headerLines(requests[0]), headerLines(requests[1]))
})
