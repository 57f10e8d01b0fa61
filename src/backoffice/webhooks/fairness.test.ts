import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { announce, endedTransaction, openReceiver } from '#test/receiver.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { openWebhooks } from './open.ts'

const healthyCount = 10
const eventsEach = sized(30, 60)
const floodEach = sized(500, 2000)

describe('webhooks to healthy endpoints', async () => {
  const { db } = await testDatabase()
  const log = openLog('silent')

  /** The delays of webhooks to healthy endpoints from commit to receipt, ascending, in ms. */
  async function delaysBeside(bad: { dead: number; hanging: number; flooding: number }) {
    const webhooks = openWebhooks({ db, clock, log, mode: 'sandbox', secretKey: Buffer.alloc(32) })
    webhooks.startSweeper()
    const announceMany = (clientId: number, callbackUrl: string, count: number) =>
      announce(
        { db, webhooks },
        Array.from({ length: count }, () => endedTransaction({ clientId, callbackUrl })),
      )
    const committed = new Map<string, number>()
    const delays: number[] = []
    const hung: (() => void)[] = []
    const open = async (count: number, answer?: Parameters<typeof openReceiver>[0]) =>
      Promise.all(
        Array.from({ length: count }, async () => ({
          clientId: await newClient(db, clock),
          receiver: await openReceiver(answer),
        })),
      )
    const dead = await open(bad.dead)
    for (const { receiver } of dead) receiver.close()
    const hanging = await open(bad.hanging, (_got, response) => {
      hung.push(() => void response.end())
    })
    const flooding = await open(bad.flooding)
    const healthy = await open(healthyCount, ({ body }, response) => {
      delays.push(performance.now() - (committed.get(JSON.parse(body).id) ?? performance.now()))
      response.end()
    })
    for (const { clientId, receiver } of [...dead, ...hanging])
      await announceMany(clientId, receiver.url, 100)
    const floods = flooding.map(({ clientId, receiver }) =>
      announceMany(clientId, receiver.url, floodEach),
    )
    for (let round = 0; round < eventsEach; round += 1) {
      for (const { clientId, receiver } of healthy) {
        const one = endedTransaction({ clientId, callbackUrl: receiver.url })
        const deliver = await db.transaction((tx) => webhooks.announce(tx, [one], new Date()))
        committed.set(one.recordId, performance.now())
        deliver()
      }
      await turn()
    }
    await Promise.all(floods)
    try {
      await eventually('all webhooks to healthy endpoints', () => {
        return delays.length === healthyCount * eventsEach
      })
    } finally {
      for (const { receiver } of hanging) receiver.answer = (_got, response) => response.end()
      hung.forEach((end) => end())
      await webhooks.stop()
    }
    return delays.toSorted((one, other) => one - other)
  }

  it('do not wait for those to dead, hanging or flooded endpoints', async (t) => {
    const p99 = (delays: number[]) => delays[Math.floor(delays.length * 0.99)] ?? 0
    const alone = p99(await delaysBeside({ dead: 0, hanging: 0, flooding: 0 }))
    const beside = p99(await delaysBeside({ dead: 3, hanging: 3, flooding: 2 }))
    t.diagnostic(`p99 commit to receipt: ${alone.toFixed(1)} ms alone`)
    t.diagnostic(`${beside.toFixed(1)} ms beside 3 dead, 3 hanging and 2 flooded`)
    // Far less than the ten seconds that a hanging endpoint takes, unless the machine is as slow.
    assert.ok(beside < Math.max(5000, 20 * alone))
  })
})
