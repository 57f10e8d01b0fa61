import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { startLab } from '../../lab/server.ts'
import { testDatabase } from '../../test/database.ts'
import type { Answer } from '../../test/live.ts'
import { call, initBody } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import type { Gateway } from '../../test/program.ts'
import {
  assertRefused,
  childrenOf,
  dataFolder,
  isGone,
  runProgram,
  startGateway,
} from '../../test/program.ts'
import { restartDelayMs } from './supervisor.ts'

const init = 'POST /api/v1/transaction/init'
const balance = 'GET /api/v1/api-services/balance'
const { url: databaseUrl, db } = await testDatabase()
const lab = await startLab({ port: 0, pace: 5 })
after(() => lab.close())
const environment = {
  DATA_DIR: await dataFolder(),
  DATABASE_URL: databaseUrl,
  LAB_PORT: new URL(lab.url).port,
}
const callerOf = ({ url }: Gateway) => ({ url, secret: 'sk_sandbox_demo_enterprise' })
const isLinux = process.platform === 'linux'

describe('two processes behind one port', { skip: !isLinux && 'looks at /proc' }, async () => {
  const gateway = await startGateway(environment, ['--processes', '2'])
  const caller = callerOf(gateway)

  it('are shown once, as one', () => {
    assert.equal(gateway.printed().match(/Passerelle is ready/g)?.length, 1)
    assert.match(gateway.printed(), /Processes +2 behind one port/)
  })

  it('do once what both are asked for many times at once (M2)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = initBody()
      const told = await Promise.all(Array.from({ length: 200 }, () => call(caller, init, body)))
      const ids = told.map((one) => one.body.transaction.transactionId)
      assert.deepEqual(counted(told), { 201: 1, 409: 199 })
      assert.equal(new Set(ids).size, 1)
      assert.equal(processesOf(told).size, 2)
    }
  })

  it('count together how often a key calls', async () => {
    const standard = { ...caller, secret: 'sk_sandbox_demo_standard' }
    const told = await Promise.all(Array.from({ length: 300 }, () => call(standard, balance)))
    assert.deepEqual(counted(told), { 200: 100, 429: 200 })
    assert.equal(processesOf(told).size, 2)
  })

  it('tell their figures as one', async () => {
    const read = async () => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text()
      const of = (name: string) => text.split('\n').find((line) => line.startsWith(name))
      const answers = 'passerelle_http_request_duration_seconds_count{method="GET",route='
      const limited = of(`${answers}"/api/v1/api-services/balance",status="429"}`)
      return [limited?.split(' ')[1], of('passerelle_parked')?.split(' ')[1]]
    }
    for (let look = 0; look < 4; look += 1) assert.deepEqual(await read(), ['200', '0'])
  })

  it('lose nothing when one is killed, and it is replaced (M8)', async () => {
    const load = startLoad(caller)
    await load.reaches(50)
    const [victim = 0, survivor] = await childrenOf(gateway.pid)
    process.kill(victim, 'SIGKILL')
    assert.ok(await isGone(victim))
    await load.reaches(150)
    const now = await until(async () => {
      const pids = await childrenOf(gateway.pid)
      return pids.length === 2 ? pids : undefined
    })
    assert.ok(survivor !== undefined && now.includes(survivor) && !now.includes(victim))
    await bothServe(gateway)
    const { acknowledged, refused, lost } = await load.end()
    assert.deepEqual(refused, [])
    for (const one of lost) assert.match(one, /ECONNRESET|UND_ERR_SOCKET|ECONNREFUSED/)
    const rows = await db<{ id: string; amount: number }>`select id, amount from transactions`
    const amounts = new Map(rows.map(({ id, amount }) => [id, amount]))
    for (const [id, amount] of acknowledged) assert.equal(amounts.get(id), amount, id)
  })

  const soon = { timeout: 60_000 }
  it('leave nobody waiting whose connection was handed to one that dies', soon, async () => {
    const members = await childrenOf(gateway.pid)
    for (const pid of members) process.kill(pid, 'SIGSTOP')
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.on('error', () => {}).write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'connect')
    await sleep(100)
    for (const pid of members) process.kill(pid, 'SIGKILL')
    await new Promise((resolve) => socket.once('close', resolve))
    await bothServe(gateway)
  })

  it('go on without a failure when one is asked to stop (O1)', async () => {
    const load = startLoad(caller)
    await load.reaches(50)
    const [leaver = 0] = await childrenOf(gateway.pid)
    process.kill(leaver, 'SIGTERM')
    assert.ok(await isGone(leaver))
    await load.reaches(150)
    await bothServe(gateway)
    const { refused, lost } = await load.end()
    assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
  })

  it('finish what is under way when all are asked to stop (O1)', async () => {
    const load = startLoad(caller)
    await load.reaches(50)
    const members = await childrenOf(gateway.pid)
    gateway.kill('SIGTERM')
    await load.isTurnedAway()
    const { refused, lost } = await load.end()
    assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
    const { code, stdout } = await gateway.ended
    assert.equal(code, 0)
    assert.match(stdout, /SIGTERM: finishing what is under way…\nStopped\.\n$/)
    for (const pid of members) assert.ok(await isGone(pid))
  })

  it('leave everything in order', async () => {
    const last = await startGateway(environment)
    await until(async () => (await openCount()) === 0 || undefined, 60_000)
    await last.stop()
    await assertMoney({ db, lab })
  })
})

it('says why when it cannot start several', async () => {
  const taken = await startGateway(environment)
  const port = new URL(taken.url).port
  const options = ['serve', '--processes', '2']
  const ended = await runProgram(options, { ...environment, PORT: port })
  assertRefused(ended, /^passerelle: Port \d+ is taken: stop the other program, or set PORT/)
  await taken.stop()
})

it('lets a place whose holders die at once stay empty for longer and longer', () => {
  const waits = [0, 1, 2, 3, 6, 7, 50].map(restartDelayMs)
  assert.deepEqual(waits, [0, 200, 400, 800, 6400, 10_000, 10_000])
})

function counted(told: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of told) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Each process begins its request ids with twelve characters of its own. */
function processesOf(told: Answer[]): Set<string> {
  return new Set(told.map(({ headers }) => processOf(headers.get('x-request-id'))))
}

function processOf(requestId: unknown): string {
  return String(requestId).slice(4, 16)
}

/** Waits until new connections come to two processes. */
async function bothServe(gateway: Gateway): Promise<void> {
  const seen = new Set<string>()
  await until(async () => seen.add(await whoAnswers(gateway)).size === 2 || undefined)
}

/** The process behind a connection of its own. */
async function whoAnswers({ url }: Gateway): Promise<string> {
  const [answer] = (await once(get(`${url}/livez`, { agent: false }), 'response')) as [
    IncomingMessage,
  ]
  answer.resume()
  return processOf(answer.headers['x-request-id'])
}

/**
 * Payments by several callers until the end, each on a connection that rests for no more than some
 * milliseconds: what is sent at the moment in which the other end closes is lost whatever a server
 * does. Each caller stops when its answer says that we close.
 */
function startLoad({ url, secret }: { url: string; secret: string }) {
  const pool = new Pool(url, { connections: 16 })
  const acknowledged = new Map<string, number>()
  const refused: string[] = []
  const lost: string[] = []
  let isOver = false
  let closed = 0
  async function pay(body: object) {
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
    const path = '/api/v1/transaction/init'
    const asked = { method: 'POST', path, headers, body: JSON.stringify(body) } as const
    const answer = await pool.request(asked)
    const { connection } = answer.headers
    return { status: answer.statusCode, connection, json: (await answer.body.json()) as Paid }
  }
  const callers = Array.from({ length: 16 }, async (_, index) => {
    while (!isOver) {
      await sleep(index)
      const body = initBody({ amount: 200 + index })
      const told = await pay(body).catch((problem: Error & { code?: string }) => problem)
      if (told instanceof Error) {
        lost.push(String(told.code))
        await sleep(20)
        continue
      }
      const { transaction, ...rest } = told.json
      if (told.status === 201) acknowledged.set(transaction.transactionId, body.amount)
      else refused.push(`${told.status} ${JSON.stringify(rest)}`)
      if (told.connection !== 'close') continue
      closed += 1
      if (isTurningAway) return
    }
  })
  let isTurningAway = false
  return {
    reaches: (more: number) => {
      const goal = acknowledged.size + more
      return until(async () => acknowledged.size >= goal || undefined)
    },
    /** Lets each caller stop with the answer that says so. */
    isTurnedAway: async () => {
      isTurningAway = true
      await until(async () => closed >= callers.length || undefined).finally(() => {
        isOver = true
      })
    },
    end: async () => {
      isOver = true
      await Promise.all(callers)
      await pool.close()
      return { acknowledged, refused, lost }
    },
  }
}

interface Paid {
  transaction: { transactionId: string }
}

async function openCount(): Promise<number> {
  const [row] = await db<{ open: number }>`
    select count(*) as open from transactions where completed_at is null`
  return row?.open ?? 0
}

async function until<T>(look: () => Promise<T | undefined>, withinMs = 30_000): Promise<T> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 20) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    await sleep(20)
  }
  throw new Error(`not within ${withinMs} ms`)
}
