import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { after, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openGuardedPools } from '#base/net/guard.ts'
import type { ResolveHost } from '#base/net/merchant-names.ts'
import { NotTried } from '#base/net/shares.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { endedTransaction, openReceiver, type Received } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { announceEnded } from './announce.ts'
import { openBodySafe } from './body-safe.ts'
import { claimDeliveries, firstTurn } from './claim-store.ts'
import { DeliveryFigures } from './delivery-figures.ts'
import { openDispatcher } from './dispatch.ts'
import { readRetryAfter, scheduleMs, waitAfter } from './schedule.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const waits = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

describe('the retry schedule of deliveries', () => {
  it('tries at once, ten times in all, and gives up after the tenth', () => {
    assert.deepEqual(scheduleMs, [0, ...waits])
    assert.equal(
      waitAfter(10, undefined, () => 0.5),
      undefined,
    )
    assert.equal(
      waitAfter(10, 5 * second, () => 0.5),
      undefined,
      'Retry-After does not add a try',
    )
    assert.equal(waitAfter(11, undefined), undefined)
  })

  for (const [index, wait] of waits.entries())
    it(`waits ${wait / second} s after try ${index + 1}, with a jitter of up to 20 %`, () => {
      const least = waitAfter(index + 1, undefined, () => 0)
      const most = waitAfter(index + 1, undefined, () => 1)
      assert.equal(
        waitAfter(index + 1, undefined, () => 0.5),
        wait,
      )
      assert.deepEqual([least, most], [Math.round(wait * 0.8), Math.round(wait * 1.2)])
      const drawn = Array.from({ length: 1000 }, () => waitAfter(index + 1, undefined) ?? 0)
      assert.ok(drawn.every((ms) => ms >= wait * 0.8 && ms <= wait * 1.2))
      assert.ok(new Set(drawn).size > 100, 'the jitter spreads the waits')
    })

  const now = new Date('2026-01-15T10:00:00.000Z')
  // Retry-After, failed tries, wait in the middle of the jitter
  const retryAfters: [string | undefined, number, number][] = [
    [undefined, 1, 5 * second],
    ['60', 1, 60 * second],
    ['0', 1, 5 * second],
    ['4', 1, 5 * second],
    ['60', 2, 5 * minute],
    ['86400', 1, 24 * hour],
    ['86401', 1, 24 * hour],
    ['999999999', 1, 24 * hour],
    ['99999999999999999999', 1, 24 * hour],
    ['9'.repeat(400), 1, 24 * hour],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 1, hour],
    ['Thu, 15 Jan 2026 09:00:00 GMT', 1, 5 * second],
    ['Thu, 15 Jan 2026 10:00:01 GMT', 1, 5 * second],
    ['Fri, 16 Jan 2026 12:00:00 GMT', 1, 24 * hour],
    ['Thursday, 15-Jan-26 11:00:00 GMT', 1, hour],
    ['Mon, 01 Jan 2999 00:00:00 GMT', 9, 24 * hour],
    ['soon', 1, 5 * second],
    ['', 1, 5 * second],
    ['-60', 1, 5 * second],
    ['Thu, 99 Jan 2026 99:00:00 GMT', 1, 5 * second],
  ]
  for (const [header, tries, wait] of retryAfters)
    it(`waits ${wait / second} s after try ${tries}, Retry-After ${header?.slice(0, 32)}`, () => {
      assert.equal(
        waitAfter(tries, readRetryAfter(header, now), () => 0.5),
        wait,
      )
    })

  it('never waits less because of Retry-After, whatever the jitter', () => {
    for (const random of [0, 0.25, 0.5, 0.75, 1])
      for (const [index] of waits.entries()) {
        const plain = waitAfter(index + 1, undefined, () => random) ?? 0
        for (const header of ['0', '1', '5', '3600', '86400'])
          assert.ok((waitAfter(index + 1, readRetryAfter(header, now), () => random) ?? 0) >= plain)
      }
  })
})

describe('deliveries on a clock that the test moves', async () => {
  const { db } = await testDatabase()
  const log = openLog('silent')

  /** One delivery on a test clock, with functions that read its row and its attempts. */
  async function oneDelivery(
    answer: (got: Received, response: ServerResponse) => unknown,
    random = () => 0.5,
    resolve?: ResolveHost,
  ) {
    const clock = testClock()
    const pools = openGuardedPools('sandbox', resolve)
    const secretsOf = async () => ['whsec_c2VjcmV0']
    const figures = new DeliveryFigures()
    const dispatcher = openDispatcher({
      db,
      clock,
      log,
      mode: 'sandbox',
      pools,
      random,
      secretsOf,
      figures,
    })
    const receiver = await openReceiver(answer)
    const clientId = await newClient(db, systemClock)
    const origin = resolve ? receiver.url.replace('127.0.0.1', 'shop.test') : receiver.url
    const ended = [endedTransaction({ clientId, callbackUrl: `${origin}/hook` })]
    const jobs = await db.transaction((tx) =>
      announceEnded(tx, ended, openBodySafe(Buffer.alloc(32)), clock.now()),
    )
    const id = jobs[0]?.id ?? ''
    const look = async () => {
      const [row] = await db<{ state: string; tries: number; dueAt: Date; endedAt: Date }>`
        select state, tries, due_at as "dueAt", ended_at as "endedAt" from deliveries
        where (client_id, id) = (${clientId}, ${id})`
      return row
    }
    const attempts = () => db`
      select number, at, http_status as status, duration_ms as ms, problem, excerpt
      from delivery_attempts where (client_id, delivery_id) = (${clientId}, ${id}) order by number`
    return {
      clock,
      receiver,
      look,
      attempts,
      offer: async () => {
        dispatcher.offer(jobs)
        await dispatcher.drain()
      },
      begin: async () => {
        dispatcher.offer(jobs)
        await eventually('the first try', async () => (await look())?.tries === 1)
      },
      /** Claims and tries the deliveries of this client that are due now; returns their number. */
      sweep: async () => {
        const now = clock.now()
        const order = { now, leaseEndsAt: after(now, minute), perEndpoint: 20, limit: 1000 }
        const claimed = await claimDeliveries(db, {
          ...order,
          busyEndpoints: [],
          turn: firstTurn(),
        })
        const own = claimed.filter((job) => job.clientId === clientId)
        const tries = (own[0]?.tries ?? 0) + 1
        dispatcher.offer(own)
        if (own.length > 0)
          await eventually('the next attempt', async () => (await look())?.tries === tries)
        return own.length
      },
      stop: async () => {
        await dispatcher.stop()
        pools.close()
      },
    }
  }

  it('that found no free place fall due again, and no try counts', async () => {
    let isBusy = true
    const resolve: ResolveHost = async () => {
      if (isBusy) throw new NotTried('no free place')
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const one = await oneDelivery((_got, response) => response.end(), undefined, resolve)
    await one.offer()
    assert.deepEqual([(await one.look())?.state, await one.attempts()], ['pending', []])
    assert.equal(await one.sweep(), 0, 'not before its lease has ended')
    isBusy = false
    one.clock.advance(minute)
    assert.equal(await one.sweep(), 1)
    const row = await one.look()
    assert.deepEqual([row?.state, row?.tries, one.receiver.got.length], ['delivered', 1, 1])
    await one.stop()
  })

  for (const random of [0.5, 0, 1])
    it(`are tried when the schedule says (jitter ${random}), then exhausted`, async () => {
      const long = `${'a'.repeat(499)}🎉${'b'.repeat(1000)}`
      const one = await oneDelivery(
        (_got, response) => response.writeHead(503).end(long),
        () => random,
      )
      const start = one.clock.now()
      await one.begin()
      const times = [0]
      for (const wait of waits) {
        const ms = Math.round(wait * (0.8 + 0.4 * random))
        one.clock.advance(ms - 1)
        assert.equal(await one.sweep(), 0, 'not 1 ms too early')
        one.clock.advance(1)
        assert.equal(await one.sweep(), 1)
        assert.equal(await one.sweep(), 0, 'not twice')
        times.push((times.at(-1) ?? 0) + ms)
      }
      const row = await one.look()
      assert.deepEqual([row?.state, row?.tries, row?.dueAt], ['exhausted', 10, null])
      assert.deepEqual(row?.endedAt, one.clock.now())
      one.clock.advance(1000 * hour)
      assert.equal(await one.sweep(), 0)
      assert.equal(one.receiver.got.length, 10)
      const attempts = await one.attempts()
      assert.deepEqual(
        attempts.map(({ number, at, status, problem }) => ({ number, at, status, problem })),
        times.map((ms, index) => ({
          number: index + 1,
          at: after(start, ms),
          status: 503,
          problem: null,
        })),
      )
      for (const { ms, excerpt } of attempts) {
        assert.ok(Number(ms) >= 0 && Number(ms) < 10_000)
        assert.equal(String(excerpt).slice(0, 499), 'a'.repeat(499))
        assert.ok(String(excerpt).length <= 500)
      }
      await one.stop()
    })

  // status of the answer, its headers, state of the delivery, wait before the next attempt
  const answers: [number, Record<string, string>, string, number | null][] = [
    [200, {}, 'delivered', null],
    [201, {}, 'delivered', null],
    [204, {}, 'delivered', null],
    [299, {}, 'delivered', null],
    [300, {}, 'pending', 5 * second],
    [301, { location: '/elsewhere' }, 'pending', 5 * second],
    [302, { location: '/elsewhere' }, 'pending', 5 * second],
    [303, { location: '/elsewhere' }, 'pending', 5 * second],
    [304, {}, 'pending', 5 * second],
    [307, { location: '/elsewhere' }, 'pending', 5 * second],
    [308, { location: '/elsewhere' }, 'pending', 5 * second],
    [400, {}, 'pending', 5 * second],
    [401, {}, 'pending', 5 * second],
    [404, {}, 'pending', 5 * second],
    [409, {}, 'pending', 5 * second],
    [410, {}, 'stopped', null],
    [429, { 'retry-after': '120' }, 'pending', 120 * second],
    [429, { 'retry-after': '999999' }, 'pending', 24 * hour],
    [500, {}, 'pending', 5 * second],
    [503, { 'retry-after': 'Thu, 15 Jan 2026 13:00:00 GMT' }, 'pending', 3 * hour],
    [503, { 'retry-after': '1' }, 'pending', 5 * second],
    [599, {}, 'pending', 5 * second],
  ]
  it('end on 2xx, stop on 410, are retried otherwise, and never follow a redirect', async () => {
    for (const [status, headers, state, wait] of answers) {
      const one = await oneDelivery((_got, response) => response.writeHead(status, headers).end())
      const start = one.clock.now()
      await one.begin()
      const row = await one.look()
      const due = wait === null ? null : after(start, wait)
      assert.deepEqual([status, row?.state, row?.dueAt], [status, state, due])
      assert.deepEqual([status, row?.endedAt], [status, wait === null ? start : null])
      assert.deepEqual(
        one.receiver.got.map(({ path }) => path),
        ['/hook'],
      )
      const [attempt] = await one.attempts()
      assert.equal(attempt?.status, status)
      await one.stop()
    }
  })

  it('record the failure of each try, and are delivered once the receiver answers', async () => {
    let isUp = false
    const one = await oneDelivery((_got, response) =>
      isUp ? response.end('thank you\0') : response.destroy(),
    )
    await one.begin()
    isUp = true
    one.clock.advance(5 * second)
    assert.equal(await one.sweep(), 1)
    const row = await one.look()
    assert.deepEqual([row?.state, row?.tries], ['delivered', 2])
    const [lost, delivered] = await one.attempts()
    assert.deepEqual([lost?.status, lost?.problem], [null, 'the other side closed the connection'])
    assert.deepEqual(
      [delivered?.status, delivered?.problem, delivered?.excerpt],
      [200, null, 'thank you'],
    )
    one.clock.advance(100 * hour)
    assert.equal(await one.sweep(), 0)
    await one.stop()
  })
})
