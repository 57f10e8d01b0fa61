import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openDb } from '#data/db/db.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { endedTransaction, openReceiver } from '#test/receiver.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { announceEnded } from './announce.ts'
import { openBodySafe } from './body-safe.ts'
import { openWebhooks } from './open.ts'

const kills = sized(2, 4, 20)
const clients = 25
const eventsEach = sized(40, 200)
const childUrl = process.env.WEBHOOK_CHILD_DATABASE

// With the variable set this file is the worker process that the test kills.
if (childUrl === undefined) describe('webhook workers that are killed', test)
else runWorker(childUrl)

function runWorker(url: string): void {
  const db = openDb({ url, role: 'passerelle_app', connectionsMax: 5 })
  const log = openLog('silent')
  openWebhooks({ db, clock, log, mode: 'sandbox', secretKey: Buffer.alloc(32) }).startSweeper()
  process.stdout.write('started')
  // Keeps the process running: the sweeper's timers alone do not.
  setInterval(() => {}, 1000)
}

function test(): void {
  it(`lose nothing of ${clients * eventsEach} events over ${kills} kills`, async (t) => {
    const { url, db } = await testDatabase()
    const got = new Map<string, number>()
    const receiver = await openReceiver(({ headers }, response) => {
      const id = String(headers['webhook-id'])
      got.set(id, (got.get(id) ?? 0) + 1)
      setTimeout(() => response.end(), 5)
    })
    const ids = await Promise.all(Array.from({ length: clients }, () => newClient(db, clock)))
    for (const clientId of ids) {
      const ended = Array.from({ length: eventsEach }, () =>
        endedTransaction({ clientId, callbackUrl: receiver.url }),
      )
      await db.transaction((tx) =>
        announceEnded(tx, ended, openBodySafe(Buffer.alloc(32)), clock.now()),
      )
    }
    // Makes every delivery due, as if the leases of the killed worker had run out.
    const expireLeases = () => db`update deliveries set due_at = now() where due_at is not null`
    await expireLeases()
    const startedMs = performance.now()
    let worker = await startWorker(url)
    for (let count = 1; count <= kills; count += 1) {
      const enough = (count * clients * eventsEach) / (kills + 2)
      await eventually('its share is delivered', () => got.size >= enough)
      await kill(worker)
      await expireLeases()
      worker = await startWorker(url)
    }
    const wereLeft = await left()
    await eventually('all delivered', async () => (await left()) === 0)
    await kill(worker)
    const sent = [...got.values()].reduce((sum, times) => sum + times, 0)
    const tookMs = performance.now() - startedMs
    t.diagnostic(`${sent} sent, ${sent - got.size} twice, ${wereLeft} left after the last kill`)
    t.diagnostic(`${Math.round(tookMs)} ms in all`)
    assert.ok(wereLeft > 0, 'every kill came while deliveries were left')
    const events = await db<{ id: string }>`select id from events`
    assert.equal(events.length, clients * eventsEach)
    assert.deepEqual(
      events.filter(({ id }) => !got.has(`evt_${id}`)),
      [],
    )

    async function left(): Promise<number> {
      const [row] = await db<{ count: number }>`
        select count(*) from deliveries where state <> 'delivered'`
      return row?.count ?? 0
    }
  })
}

async function startWorker(url: string): Promise<ChildProcess> {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const worker = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    env: { ...environment, WEBHOOK_CHILD_DATABASE: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(worker.stdout, 'data')
  return worker
}

async function kill(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit')
  worker.kill('SIGKILL')
  await ended
}
