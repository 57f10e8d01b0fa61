import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import pg from 'pg'
import { Type } from 'typebox'
import { openDb } from '#data/db/db.ts'
import { CommitUnknown, DatabaseSilent } from '#data/db/errors.ts'
import { assertGeneralError, type TestApp, testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'
import type { Http } from './http.ts'

const gateway = await testGateway()
const balance = 'GET /api/v1/api-services/balance'

const sqlError = (state: string) =>
  Object.assign(new pg.DatabaseError('the database said no', 0, 'error'), { code: state })
const systemError = (code: string) => Object.assign(new Error('the system said no'), { code })

// what a handler throws, the status of the answer
const thrown: [name: string, problem: unknown, status: number][] = [
  ['an error', new Error('hush: sk_live_hush at /srv/hush.ts:1'), 500],
  ['an error with a cause', new Error('hush', { cause: new Error('hush') }), 500],
  ['a type error', new TypeError('hush is not a function'), 500],
  ['a text', 'hush', 500],
  ['a number', 404, 500],
  ['nothing', undefined, 500],
  ['null', null, 500],
  ['an object', { statusCode: 400, message: 'hush' }, 500],
  ['an error with statusCode 200', Object.assign(new Error('hush'), { statusCode: 200 }), 500],
  ['an error with statusCode 502', Object.assign(new Error('hush'), { statusCode: 502 }), 500],
  ['an error with statusCode 404', Object.assign(new Error('hush'), { statusCode: 404 }), 500],
  ['a broken constraint', sqlError('23505'), 500],
  ['a broken statement', sqlError('42601'), 500],
  ['a file that cannot be read', systemError('EACCES'), 500],
  ['a database that shuts down', sqlError('57P01'), 503],
  ['a database that crashes', sqlError('57P02'), 503],
  ['a database that starts', sqlError('57P03'), 503],
  ['a database with too many connections', sqlError('53300'), 503],
  ['a statement that takes too long', sqlError('57014'), 503],
  ['a lock that takes too long', sqlError('55P03'), 503],
  ['transactions that lock each other out', sqlError('40P01'), 503],
  ['a standby', sqlError('25006'), 503],
  ['a full disk', sqlError('53100'), 503],
  ['a database without memory', sqlError('53200'), 503],
  ['a disk that fails', sqlError('58030'), 503],
  ['an idle session that was ended', sqlError('57P05'), 503],
  ['a database that does not answer', new DatabaseSilent('no answer; the system said no'), 503],
  ['a commit without an answer', new CommitUnknown('lost at commit; the system said no'), 503],
  ['a refused connection', systemError('ECONNREFUSED'), 503],
  ['a lost connection', systemError('ECONNRESET'), 503],
  ['an unknown host', systemError('ENOTFOUND'), 503],
  ['an unreachable host', systemError('EHOSTUNREACH'), 503],
  ['a connection that was terminated', new Error('Connection terminated unexpectedly'), 503],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), 503],
]

function addThrowers(http: Http): void {
  thrown.forEach(([, problem], index) => {
    http.get(`/api/v1/throw/${index}`, { schema: { hide: true } }, async () => {
      throw problem
    })
  })
  // The answer breaks its own schema.
  const response = { 200: Type.Object({ amount: Type.Integer() }) }
  http.get('/api/v1/throw/schema', { schema: { hide: true, response } }, async () => {
    return { amount: 'hush' } as unknown as { amount: number }
  })
}

describe('an error thrown by a handler', async () => {
  const app = await gateway.start({ routes: addThrowers })

  thrown.forEach(([name, , status], index) => {
    it(`${name} is answered with ${status} and logged, without its details`, async () => {
      const answer = await app.send(`GET /api/v1/throw/${index}`)
      assert.equal(answer.status, status, answer.text)
      assertGeneralError(answer, status === 500 ? 'INTERNAL_ERROR' : 'SERVICE_UNAVAILABLE')
      assert.equal(answer.headers['retry-after'], status === 503 ? '1' : undefined)
      assert.doesNotMatch(answer.text, /hush|said no|stack|\.ts/)
      const line = lineOf(app, answer.body.requestId)
      assert.equal(line?.level, status === 500 ? 'error' : 'warn')
      if (problemHasMessage(index)) assert.match(JSON.stringify(line), /hush|said no|connect/i)
    })
  })

  it('an answer that breaks its own schema is replaced by 500', async () => {
    const answer = await app.send('GET /api/v1/throw/schema')
    assert.equal(answer.status, 500)
    assertGeneralError(answer, 'INTERNAL_ERROR')
    assert.doesNotMatch(answer.text, /hush|amount/)
    assert.equal(lineOf(app, answer.body.requestId)?.level, 'error')
  })

  it('a commit without an answer is not said to have failed', async () => {
    const index = thrown.findIndex(([, problem]) => problem instanceof CommitUnknown)
    const { body } = await app.send(`GET /api/v1/throw/${index}`)
    assert.deepEqual(body.message, [
      'It is not known whether this took effect: look it up, or send it again under the same id',
    ])
  })

  it('the message of a 500 is French with Accept-Language: fr', async () => {
    const headers = { 'accept-language': 'fr' }
    const { body } = await app.send('GET /api/v1/throw/0', { headers })
    assert.deepEqual(body.message, ['Une erreur est survenue de notre côté'])
  })
})

function problemHasMessage(index: number): boolean {
  return thrown[index]?.[1] instanceof Error
}

function lineOf(app: TestApp, requestId: unknown) {
  const lines = app.logged.filter((line) => line.requestId === requestId && line.level !== 'info')
  assert.equal(lines.length, 1)
  return lines[0]
}

describe('an unreachable database', () => {
  async function assertUnavailable(app: TestApp): Promise<void> {
    for (const key of [gateway.secret, 'sk_sandbox_nobody']) {
      const answer = await app.send(balance, { key })
      assert.equal(answer.status, 503, answer.text)
      assertGeneralError(answer, 'SERVICE_UNAVAILABLE')
      assert.equal(answer.headers['retry-after'], '1')
    }
    const ready = await app.send('GET /readyz')
    assert.equal(ready.status, 503)
    assert.equal(ready.headers['retry-after'], '1')
    assert.equal(ready.body.status, 'not ready')
    assert.equal((await app.send('GET /livez')).status, 200)
    assert.equal((await app.send('GET /metrics')).status, 200)
    assert.equal((await app.send(balance, { key: null })).status, 401)
  }

  it('requests get 503 when the pool is closed', async () => {
    const db = openDb({ url: gateway.url, role: 'passerelle_app' })
    const app = await gateway.start({ db })
    assert.equal((await app.send(balance)).status, 200)
    await db.close()
    // The key is remembered for a moment.
    await eventually('it is noticed', async () => (await app.send(balance)).status === 503)
    await assertUnavailable(app)
  })

  it('requests get 503 when nothing listens on the port', async () => {
    const db = openDb({ url: 'postgresql://nobody@127.0.0.1:1/nothing' })
    await assertUnavailable(await gateway.start({ db }))
    await db.close()
  })

  it('a request gets 503 when its connection is lost, and the next one is served', async () => {
    const db = openDb({ url: gateway.url, name: 'victim' })
    const app = await gateway.start({
      db,
      routes: (http) =>
        http.get('/api/v1/throw/sleep', { schema: { hide: true } }, () => db`select pg_sleep(600)`),
    })
    const going = app.send('GET /api/v1/throw/sleep')
    const owner = gateway.connect({ asOwner: true })
    await eventually('the connection is lost', async () => {
      const ended = await owner`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'victim' and query like '%pg_sleep%' and state = 'active'`
      return ended.length > 0
    })
    const answer = await going
    assert.equal(answer.status, 503, answer.text)
    assertGeneralError(answer, 'SERVICE_UNAVAILABLE')
    assert.equal((await app.send(balance)).status, 200)
    await db.close()
  })

  it('/readyz gets 503 when the database does not answer', async () => {
    const sockets: Socket[] = []
    const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const { port } = mute.address() as AddressInfo
    const db = openDb({ url: `postgresql://nobody@127.0.0.1:${port}/nothing` })
    const app = await gateway.start({ db })
    const ready = await app.send('GET /readyz')
    assert.deepEqual([ready.status, ready.body.because], [503, 'the database does not answer'])
    for (const socket of sockets) socket.destroy()
    mute.close()
    await db.close()
  })
})
