import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, mock } from 'node:test'
import type { Answer, TestApp } from '../../test/app.ts'
import { count, sendMany, testGateway } from '../../test/app.ts'
import { freePort } from '../../test/listen.ts'
import { missing } from '../../test/needs.ts'
import { eventually } from '../../test/wait.ts'
import { RedisRates } from './redis-rates.ts'

const balance = 'GET /api/v1/api-services/balance'
const away = 'redis is away: each process counts rates for itself'
const back = 'redis counts rates'
const program = 'redis-server'

describe('two processes with Redis', { skip: missing(program) }, async () => {
  const gateway = await testGateway()
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-redis-'))
  const port = await freePort()
  let redis = await startRedis(port, folder)
  after(async () => {
    await stop(redis)
    await rm(folder, { recursive: true, force: true })
  })
  const environment = { REDIS_URL: `redis://127.0.0.1:${port}` }
  const apps = [await gateway.start({ environment }), await gateway.start({ environment })]
  const patient = [await startPatient(), await startPatient()]
  const keyFor = async (ratePerMinute: number) =>
    (await gateway.newKey(gateway.clientId, { ratePerMinute })).secret

  /** A process that waits for Redis however busy the machine is. */
  async function startPatient(): Promise<TestApp> {
    const open = RedisRates.open.bind(RedisRates)
    const patience = { answerMaxMs: 600_000, startMaxMs: 600_000 }
    const { mock: opened } = mock.method(RedisRates, 'open', (...given: Parameters<typeof open>) =>
      open(given[0], given[1], given[2], patience),
    )
    try {
      return await gateway.start({ environment })
    } finally {
      opened.restore()
    }
  }

  it('share the limit of a key', async () => {
    const answers = await sendMany(patient, 400, balance, await keyFor(100))
    assert.deepEqual(count(answers), { 200: 100, 429: 300 })
  })

  it('count from their first request on in Redis', async () => {
    const app = await startPatient()
    const key = await keyFor(1)
    assert.deepEqual(count(await sendMany([app], 1, balance, key)), { 200: 1 })
    assert.deepEqual(count(await sendMany(patient, 2, balance, key)), { 429: 2 })
    assert.deepEqual(await gauge(app), '1')
    await app.close()
  })

  it('count each for itself while Redis is down, and together again afterwards', async () => {
    const key = await keyFor(100)
    const going = sendMany(apps, 1000, balance, key)
    await stop(redis)
    const { 200: passed = 0, 429: refused = 0 } = count(await going)
    assert.equal(passed + refused, 1000)
    assert.ok(passed <= 300, `${passed} passed`)
    assert.deepEqual(count(await sendMany(apps, 400, balance, await keyFor(100))), {
      200: 200,
      429: 200,
    })
    for (const app of apps) {
      // One line for each time that it goes away or comes back, of which a busy machine makes more.
      const told = app.logged.flatMap(({ msg }) => (msg === away || msg === back ? [msg] : []))
      assert.equal(told.at(-1), away)
      for (const [place, msg] of told.entries()) assert.notEqual(msg, told[place + 1])
      assert.equal(await gauge(app), '0')
    }
    redis = await startRedis(port, folder)
    await eventually('Redis counts again', async () => isLimited(apps, await keyFor(1)))
    for (const app of apps)
      await eventually('its gauge tells', async () => (await gauge(app)) === '1')
  })

  it('count each for itself when Redis hangs, and do not wait for it', async () => {
    redis.kill('SIGSTOP')
    const startMs = performance.now()
    const answers: Answer[] = []
    const key = await keyFor(1)
    for (let times = 0; times < 60; times += 1)
      for (const app of apps) answers.push(await app.send(balance, { key }))
    assert.deepEqual(count(answers), { 200: 2, 429: 118 })
    // With a wait of 0.5 s for each this would be a minute.
    assert.ok(performance.now() - startMs < 30_000)
    redis.kill('SIGCONT')
    await eventually('Redis counts again', async () => isLimited(apps, await keyFor(1)))
  })
})

describe('a Redis that does not answer when the gateway starts', async () => {
  const gateway = await testGateway()
  const keyFor = async (ratePerMinute: number) =>
    (await gateway.newKey(gateway.clientId, { ratePerMinute })).secret
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  after(() => silent.close())
  const servers: [name: string, port: number][] = [
    ['that nobody listens for', await freePort()],
    ['that accepts and says nothing', (silent.address() as AddressInfo).port],
  ]
  for (const [name, port] of servers)
    it(`leaves limits to the process: one ${name}`, async () => {
      const environment = { REDIS_URL: `redis://127.0.0.1:${port}` }
      const app = await gateway.start({ environment })
      const answers = await sendMany([app], 150, balance, await keyFor(100))
      assert.deepEqual(count(answers), { 200: 100, 429: 50 })
      assert.equal(app.logged.filter(({ msg }) => msg === away).length, 1)
      assert.equal(await gauge(app), '0')
      await app.close()
    })
})

/** What the metrics of a process say about Redis. */
async function gauge(app: TestApp): Promise<string | undefined> {
  const { text } = await app.send('GET /metrics')
  return /^passerelle_rates_shared (\d)$/m.exec(text)?.[1]
}

/** Whether one of two requests is refused, one to each process, with a key of limit 1. */
async function isLimited(apps: TestApp[], key: string): Promise<boolean> {
  return count(await sendMany(apps, 2, balance, key))[429] === 1
}

async function startRedis(port: number, folder: string): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const redis = spawn(program, options, { stdio: 'ignore' })
  await eventually('Redis listens', () => isListening(port))
  return redis
}

async function stop(redis: ChildProcess): Promise<void> {
  if (redis.exitCode !== null || redis.signalCode !== null) return
  const ended = once(redis, 'exit')
  redis.kill('SIGKILL')
  await ended
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
