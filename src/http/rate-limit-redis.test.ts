import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { TestApp } from '../../test/app.ts'
import { count, sendMany, testGateway } from '../../test/app.ts'
import { eventually } from '../../test/wait.ts'

const balance = 'GET /api/v1/api-services/balance'
const program = 'redis-server'
const hasRedis = spawnSync(program, ['--version']).status === 0

describe('two processes with Redis', { skip: !hasRedis && 'no redis-server here' }, async () => {
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
  const keyFor = async (ratePerMinute: number) =>
    (await gateway.newKey(gateway.clientId, { ratePerMinute })).secret
  await eventually('Redis counts', async () => isLimited(apps, await keyFor(1)))

  it('share the limit of a key', async () => {
    const answers = await sendMany(apps, 400, balance, await keyFor(100))
    assert.deepEqual(count(answers), { 200: 100, 429: 300 })
  })

  it('serve without limits while Redis is down, and limit again afterwards', async () => {
    const key = await keyFor(100)
    const going = sendMany(apps, 1000, balance, key)
    await stop(redis)
    const { 200: passed = 0, 429: refused = 0 } = count(await going)
    assert.equal(passed + refused, 1000)
    assert.deepEqual(count(await sendMany(apps, 150, balance, key)), { 200: 150 })
    for (const { logged } of apps)
      assert.ok(logged.some(({ msg }) => msg === 'redis is away: rates are not limited'))
    redis = await startRedis(port, folder)
    await eventually('Redis counts again', async () => isLimited(apps, await keyFor(1)))
  })

  it('serve without limits when Redis hangs', async () => {
    redis.kill('SIGSTOP')
    const startMs = performance.now()
    assert.deepEqual(count(await sendMany(apps, 20, balance, await keyFor(1))), { 200: 20 })
    assert.ok(performance.now() - startMs < 30_000)
  })
})

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
