import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { announce, endedTransaction, openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { openWebhooks } from './open.ts'

// As many as one endpoint gets at a time, and some that wait for them.
const [underWay, waiting] = [32, 18]

describe('webhooks of a process that stops', async () => {
  const { db } = await testDatabase()
  const log = openLog('silent')
  const open = () => openWebhooks({ db, clock, log, mode: 'sandbox', secretKey: Buffer.alloc(32) })

  async function count(condition: 'due' | 'delivered'): Promise<number> {
    const [row] = await db<{ due: number; delivered: number }>`
      select count(*) filter (where due_at <= now()) as due,
        count(*) filter (where state = 'delivered') as delivered
      from deliveries`
    return row?.[condition] ?? 0
  }

  it('are due at once for another one, and each is sent once', async () => {
    const clientId = await newClient(db, clock)
    const answers: (() => void)[] = []
    const receiver = await openReceiver((_got, response) => {
      answers.push(() => void response.end())
    })
    const ended = (length: number) =>
      Array.from({ length }, () => endedTransaction({ clientId, callbackUrl: receiver.url }))
    const first = open()
    await announce({ db, webhooks: first }, ended(underWay + waiting))
    await receiver.has(underWay)
    const stopped = first.stop()
    receiver.answer = (_got, response) => response.end()
    for (const answer of answers) answer()
    // What ends while the process stops is not kept back either.
    await announce({ db, webhooks: first }, ended(1))
    await stopped
    assert.deepEqual([await count('delivered'), await count('due')], [underWay, waiting + 1])

    const second = open()
    second.startSweeper()
    const all = underWay + waiting + 1
    await eventually('all are delivered', async () => (await count('delivered')) === all)
    await second.stop()
    const ids = receiver.got.map(({ headers }) => headers['webhook-id'])
    assert.deepEqual([ids.length, new Set(ids).size], [all, all])
  })
})
