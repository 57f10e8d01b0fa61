import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { signedInAs, tokenIn } from '#test/dashboard.ts'
import { newLink } from '#test/links.ts'
import { liveGateway } from '#test/live.ts'
import { formRoutes } from '#test/screenshots/routes.ts'

const gateway = await liveGateway()
const { url } = gateway
const { guests, signedIn } = formRoutes()

/** The status of the answer to a form whose body never arrives; fails if none comes before it. */
function statusBeforeBody(path: string, bytes: number, cookie = ''): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const head = [
      `POST ${path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000001')} HTTP/1.1`,
      'Host: gateway',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${bytes}`,
      ...(cookie === '' ? [] : [`Cookie: ${cookie}`]),
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString().split(' ')[1] ?? '')
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`${path} was closed without an answer`)))
  })
}

function manyFields(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index}=`).join('&')
}

function send(
  path: string,
  body: string,
  { cookie = '', type = 'application/x-www-form-urlencoded' } = {},
): Promise<Response> {
  const headers = { 'content-type': type, cookie, 'accept-language': 'en' }
  const init = { method: 'POST', body, headers, redirect: 'manual' } as const
  return fetch(`${url}${path.replaceAll(/:\w+/g, 'unknown')}`, init)
}

async function statusOf(path: string, body: string, cookie = ''): Promise<number> {
  return (await send(path, body, { cookie })).status
}

describe('a form that nobody can have typed is refused in words', () => {
  const cases: [string, string, string, number, RegExp][] = [
    ['long, of a guest', '/dashboard/forgotten', 'x'.repeat(8193), 413, /larger than 8192 bytes/],
    ['long', '/dashboard/account', 'x'.repeat(100_001), 413, /larger than 100000 bytes/],
    ['of many fields', '/dashboard/account', manyFields(1001), 413, /more than 1000 fields/],
    ['of another kind', '/dashboard/account', '<x/>', 415, /could not be understood/],
  ]
  for (const [name, path, body, status, words] of cases)
    it(name, async () => {
      const { cookie } = await signedInAs(gateway, 'owner')
      const type = status === 415 ? 'application/xml' : undefined
      const answer = await send(path, body, { cookie, ...(type === undefined ? {} : { type }) })
      assert.equal(answer.status, status)
      const text = await answer.text()
      assert.match(text, words)
      assert.doesNotMatch(text, /error on our side/)
    })
})

describe('a form of a guest', () => {
  it('is one of those that the routes add', () => assert.ok(guests.length >= 5))

  for (const path of guests) {
    it(`is refused before it is read when it is long: ${path}`, async () => {
      assert.equal(await statusBeforeBody(path, 8193), '413')
    })
    it(`is refused when it has many fields: ${path}`, async () => {
      assert.equal(await statusOf(path, manyFields(51)), 413)
      assert.notEqual(await statusOf(path, manyFields(50)), 413)
    })
  }
})

describe('a form of people who are signed in', () => {
  for (const path of signedIn)
    it(`is not read of a stranger: ${path}`, async () => {
      assert.equal(await statusBeforeBody(path, 90_000), '303')
      assert.equal(await statusBeforeBody(path, 90_000, 'session=made-up'), '303')
    })

  it('is refused when it has more fields than any of ours', async () => {
    const { cookie } = await signedInAs(gateway, 'owner')
    assert.equal(await statusOf('/dashboard/account', manyFields(1001), cookie), 413)
    assert.notEqual(await statusOf('/dashboard/account', manyFields(1000), cookie), 413)
  })
})

describe('a form with a file', () => {
  it('is refused at one part too many, and what follows is not read', async () => {
    const person = await signedInAs(gateway, 'owner')
    const token = tokenIn((await person.get('/dashboard/batches')).text)
    const send = async (path: string, count: number) => {
      const body = new FormData()
      body.set('token', token)
      for (let added = 1; added < count; added += 1) body.append('a', '')
      const headers = { cookie: person.cookie }
      return (await fetch(`${url}${path}`, { method: 'POST', body, headers })).status
    }
    for (const path of ['/dashboard/batches', '/dashboard/ops/recon/import']) {
      assert.equal(await send(path, 101), 413)
      assert.equal(await send(path, 50_000), 413)
      assert.notEqual(await send(path, 100), 413)
    }
  })
})

describe('a form of the payment page', () => {
  it('is not read from a network that has sent too many', async () => {
    const path = `/pay/process/${await newLink(gateway)}/pay`
    for (let sent = 0; sent < 20; sent += 1) await statusOf(path, '')
    // To the page, which says when to try again.
    assert.equal(await statusBeforeBody(path, 4000), '303')
  })

  it('is refused when it has many fields', async () => {
    const path = `/pay/process/${await newLink(gateway)}/pay`
    // Like each form of the payment page, it leads to the page, which says that it was not read.
    const isRead = async (body: string) => {
      const answer = await send(path, body)
      assert.equal(answer.status, 303)
      const page = new URL(answer.headers.get('location') ?? '', `${url}${path}`)
      const shown = await fetch(page, { headers: { 'accept-language': 'en' } })
      assert.equal(shown.status, 200)
      return !(await shown.text()).includes('This request could not be read')
    }
    assert.equal(await isRead(manyFields(11)), false)
    assert.equal(await isRead(manyFields(10)), true)
  })
})

describe('a network', () => {
  it('whose guests have sent too many forms in a minute is told to wait', async () => {
    const path = '/dashboard/forgotten'
    const statuses = new Set<number>()
    for (let sent = 0; sent < 310; sent += 1) statuses.add(await statusOf(path, 'email='))
    assert.deepEqual([...statuses], [422, 429])
    assert.equal(await statusBeforeBody(path, 100), '429')
  })
})
