import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { testInstallation } from '../../test/installation.ts'
import type { Answer } from '../../test/live.ts'
import { call, initBody } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import type { Gateway } from '../../test/program.ts'
import {
  assertRefused,
  childrenOf,
  isGone,
  isIdle,
  runProgram,
  startGateway,
} from '../../test/program.ts'
import { sized } from '../../test/size.ts'
import { eventually } from '../../test/wait.ts'
import { restartDelayMs } from '../kit/restarts.ts'

const init = 'POST /api/v1/transaction/init'
const balance = 'GET /api/v1/api-services/balance'
const { db, lab, environment, expireLeases, untilAllEnded } = await testInstallation()
const callerOf = ({ url }: Gateway) => ({ url, secret: 'sk_sandbox_demo_enterprise' })
const isLinux = process.platform === 'linux'

describe('two processes behind one port', { skip: !isLinux && 'needs /proc' }, async () => {
  const gateway = await startGateway(environment, ['--processes', '2'])
  const caller = callerOf(gateway)

  it('print one banner, which names their number', () => {
    assert.equal(gateway.printed().match(/Passerelle is ready/g)?.length, 1)
    assert.match(gateway.printed(), /Processes +2 behind one port/)
  })

  it('create one transaction from 200 equal requests that both get at once (M2)', async () => {
    for (let round = 0; round < sized(1, 5); round += 1) {
      const body = initBody()
      const answers = await Promise.all(Array.from({ length: 200 }, () => call(caller, init, body)))
      const ids = answers.map((one) => one.body.transaction.transactionId)
      assert.deepEqual(countStatuses(answers), { 201: 1, 409: 199 })
      assert.equal(new Set(ids).size, 1)
      assert.equal(processesOf(answers).size, 2)
    }
  })

  it('share the rate limit of a key', async () => {
    const standard = { ...caller, secret: 'sk_sandbox_demo_standard' }
    const answers = await Promise.all(Array.from({ length: 300 }, () => call(standard, balance)))
    assert.deepEqual(countStatuses(answers), { 200: 100, 429: 200 })
    assert.equal(processesOf(answers).size, 2)
  })

  const readMetrics = async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    const of = (name: string) => text.split('\n').find((line) => line.startsWith(name))
    const answers = 'passerelle_http_request_duration_seconds_count{method="GET",route='
    const limited = of(`${answers}"/api/v1/api-services/balance",status="429"}`)
    return [limited?.split(' ')[1], of('passerelle_parked')?.split(' ')[1]]
  }

  it('report their metrics together, whichever process is asked', async () => {
    for (let reads = 0; reads < 4; reads += 1) assert.deepEqual(await readMetrics(), ['200', '0'])
  })

  it('report the last known metrics of a process that does not answer', async () => {
    const [stuck] = await childrenOf(gateway.pid)
    assert.ok(stuck !== undefined)
    process.kill(stuck, 'SIGSTOP')
    const reads = Array.from({ length: 4 }, readMetrics)
    const first = await Promise.any(reads).finally(() => process.kill(stuck, 'SIGCONT'))
    assert.deepEqual(first, ['200', '0'])
    await Promise.all(reads)
  })

  it('lose no acknowledged payment when one is killed, and it is replaced (M8)', async () => {
    const load = startLoad(caller)
    await load.reaches(50)
    const [victim, survivor] = await childrenOf(gateway.pid)
    assert.ok(victim !== undefined)
    process.kill(victim, 'SIGKILL')
    assert.ok(await isGone(victim))
    await load.reaches(150)
    const now = await eventually('two processes again', async () => {
      const pids = await childrenOf(gateway.pid)
      return pids.length === 2 && pids
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

  it('close a connection that was being handed to a child that dies', async () => {
    const children = await childrenOf(gateway.pid)
    for (const pid of children) process.kill(pid, 'SIGSTOP')
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.on('error', () => {}).write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'connect')
    await eventually('the supervisor has handed it over', () => isIdle(gateway.pid))
    for (const pid of children) process.kill(pid, 'SIGKILL')
    await new Promise((resolve) => socket.once('close', resolve))
    await bothServe(gateway)
  })

  it('serve without a failure when one gets SIGTERM (O1)', async () => {
    const load = startLoad(caller)
    await load.reaches(50)
    const [stopped] = await childrenOf(gateway.pid)
    assert.ok(stopped !== undefined)
    process.kill(stopped, 'SIGTERM')
    assert.ok(await isGone(stopped))
    await load.reaches(150)
    await bothServe(gateway)
    const { refused, lost } = await load.end()
    assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
  })

  it('finish the requests in progress when the supervisor gets SIGTERM (O1)', async () => {
    const load = startLoad(caller)
    await load.reaches(50)
    const children = await childrenOf(gateway.pid)
    const newcomers = startNewcomers(caller, sized(60, 150))
    await newcomers.reach(sized(120, 300))
    newcomers.expectStop()
    gateway.kill('SIGTERM')
    await load.untilClosed()
    const { refused, lost } = await load.end()
    assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
    const { early, late } = await newcomers.ended
    assert.equal(early, 0)
    // One may connect between the last look at the queue and its closing.
    assert.ok(late < 10, `${late} resets`)
    const { code, stdout } = await gateway.ended
    assert.equal(code, 0)
    // Between them, lines of the log.
    assert.match(stdout, /SIGTERM: finishing what is under way…\n(\{.*\}\n)*Stopped\.\n$/)
    for (const pid of children) assert.ok(await isGone(pid))
  })

  it('wait for connections that the supervisor has still to hand over', async () => {
    await expireLeases()
    const next = await startGateway(environment, ['--processes', '2'])
    next.kill('SIGTERM')
    await eventually('they stop', async () => {
      const [answer] = (await once(get(`${next.url}/livez`), 'response')) as [IncomingMessage]
      return answer.resume().headers.connection === 'close'
    })
    process.kill(next.pid, 'SIGSTOP')
    // It connects: the kernel keeps it in the queue of the supervisor.
    const asked = askOnce(callerOf(next))
    await sleep(1500)
    process.kill(next.pid, 'SIGCONT')
    assert.equal(await asked, undefined)
    assert.equal((await next.ended).code, 0)
  })

  it('leave transactions to a gateway that loses none at SIGTERM itself (O1)', async () => {
    await expireLeases()
    const next = await startGateway(environment)
    const load = startLoad(callerOf(next))
    await load.reaches(50)
    next.kill('SIGTERM')
    await load.untilClosed()
    const { refused, lost } = await load.end()
    assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
    await next.ended
  })

  it('leave transactions that a later gateway ends', async () => {
    await expireLeases()
    const last = await startGateway(environment)
    await untilAllEnded()
    await assertMoney({ db, lab })
    // Its port is taken: a supervisor that wants it says so and exits.
    const { port } = new URL(last.url)
    const options = ['serve', '--processes', '2']
    const ended = await runProgram(options, { ...environment, PORT: port })
    assertRefused(ended, /^passerelle: Port \d+ is taken.*: stop the other program, or set PORT/)
    await last.stop()
  })
})

it('the delay before a restart doubles with each quick exit, up to 10 s', () => {
  const waits = [0, 1, 2, 3, 6, 7, 50].map(restartDelayMs)
  assert.deepEqual(waits, [0, 200, 400, 800, 6400, 10_000, 10_000])
})

function countStatuses(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The processes that answered: eight characters of a request id, after its time, are theirs. */
function processesOf(answers: Answer[]): Set<string> {
  return new Set(answers.map(({ headers }) => processOf(headers.get('x-request-id'))))
}

function processOf(requestId: unknown): string {
  return String(requestId).slice(12, 20)
}

/** Waits until new connections reach two processes. */
async function bothServe(gateway: Gateway): Promise<void> {
  const seen = new Set<string>()
  await eventually('both processes serve', async () => {
    const answering = await processBehindNewConnection(gateway).catch(() => undefined)
    if (answering !== undefined) seen.add(answering)
    return seen.size === 2
  })
}

async function processBehindNewConnection({ url }: Gateway): Promise<string> {
  const [answer] = (await once(get(`${url}/livez`, { agent: false }), 'response')) as [
    IncomingMessage,
  ]
  answer.resume()
  return processOf(answer.headers['x-request-id'])
}

/**
 * Sends payments from 16 callers until `end`. A connection is idle for some milliseconds at most: a
 * request sent while the server closes an idle connection is lost whatever the server does.
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
    const order = { method: 'POST', path, headers, body: JSON.stringify(body) } as const
    const answer = await pool.request(order)
    const { connection } = answer.headers
    return { status: answer.statusCode, connection, json: (await answer.body.json()) as Paid }
  }
  const callers = Array.from({ length: 16 }, async (_, index) => {
    while (!isOver) {
      await sleep(index)
      const body = initBody({ amount: 200 + index })
      const answer = await pay(body).catch((problem: Error & { code?: string }) => problem)
      if (answer instanceof Error) {
        lost.push(String(answer.code))
        await sleep(20)
        continue
      }
      const { transaction, ...rest } = answer.json
      if (answer.status === 201) acknowledged.set(transaction.transactionId, body.amount)
      else refused.push(`${answer.status} ${JSON.stringify(rest)}`)
      if (answer.connection !== 'close') continue
      closed += 1
      if (isServerStopping) return
    }
  })
  let isServerStopping = false
  return {
    reaches: (more: number) => {
      const goal = acknowledged.size + more
      return eventually(`${goal} payments`, () => acknowledged.size >= goal)
    },
    /** Ends each caller with the answer that closes its connection. */
    untilClosed: async () => {
      isServerStopping = true
      await eventually('an answer that closes, for each', () => closed >= callers.length).finally(
        () => {
          isOver = true
        },
      )
    },
    end: async () => {
      isOver = true
      await Promise.all(callers)
      await pool.close()
      return { acknowledged, refused, lost }
    },
  }
}

/**
 * Sends requests from so many callers, each on a connection of its own, until the port is closed.
 * Counts those that got no answer: sent before `expectStop` (early), or after it (late).
 */
function startNewcomers(caller: { url: string; secret: string }, callers: number) {
  const lost = { early: 0, late: 0 }
  let answered = 0
  let isStopExpected = false
  async function knock(): Promise<void> {
    for (;;) {
      const sent = isStopExpected ? 'late' : 'early'
      const problem = await askOnce(caller)
      if (problem === 'ECONNREFUSED') return
      if (problem === undefined) answered += 1
      else lost[sent] += 1
    }
  }
  const ended = Promise.all(Array.from({ length: callers }, knock)).then(() => lost)
  return {
    ended,
    reach: (count: number) => eventually(`${count} answers`, () => answered >= count),
    expectStop: () => {
      isStopExpected = true
    },
  }
}

/** Reads the balance on a new connection; the code of the error when there is no answer. */
async function askOnce(caller: { url: string; secret: string }): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${caller.secret}` }
  const asking = get(`${caller.url}${balance.slice(4)}`, { agent: false, headers })
  try {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    await once(answer.resume(), 'end')
    return undefined
  } catch (problem) {
    return String((problem as { code?: string }).code)
  }
}

interface Paid {
  transaction: { transactionId: string }
}
