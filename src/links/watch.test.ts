import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newLink, untilSeen } from '../../test/links.ts'
import { liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'
import type { Db } from '../db/db.ts'
import { openLog } from '../kit/log.ts'
import { openLinkWatch } from './watch.ts'

const live = await liveGateway({ pace: 20 })
const elsewhere = await live.newProcess()
const { db } = live
const { checkout } = live.links

/** Follows a link and keeps what its payer sees each time. */
function follow(id: string) {
  const end = new AbortController()
  after(() => end.abort())
  const seen: string[] = []
  const ended = (async () => {
    for await (const _ of checkout.follow(id, end.signal)) {
      const { state } = (await checkout.look(id)) ?? {}
      if (state !== undefined && state.kind !== seen.at(-1)) seen.push(state.kind)
    }
  })()
  return {
    seen,
    stop: async () => {
      end.abort()
      await ended
    },
  }
}

describe('who follows a link', { concurrency: true }, () => {
  it('is told of all that happens to it, whichever process does it', async () => {
    const id = await newLink(live)
    const following = follow(id)
    await eventually('it is seen', () => following.seen.length === 1)
    const order = { serviceCode: 'WALLETD_SN_CASHOUT', phone: '771234567' }
    await elsewhere.links.checkout.pay(id, order)
    await eventually('the payment is seen', () => following.seen.includes('waiting'))
    await elsewhere.links.checkout.confirm(id, '123456')
    await eventually('its end is seen', () => following.seen.at(-1) === 'paid')
    await following.stop()
    assert.equal(following.seen[0], 'choose')
  })

  it('is told of what changed after the first look, although others are followed', async () => {
    const others = follow(await newLink(live))
    await eventually('the others are seen', () => others.seen.length === 1)
    for (let times = 0; times < 4; times += 1) {
      const id = await newLink(live)
      const end = new AbortController()
      const news = checkout.follow(id, end.signal)[Symbol.asyncIterator]()
      const next = news.next()
      assert.equal((await checkout.look(id))?.state.kind, 'choose')
      await elsewhere.links.checkout.giveUp(id)
      const told = await Promise.race([next, sleep(60_000, 'nothing was told', { ref: false })])
      assert.deepEqual(told, { done: false, value: undefined })
      end.abort()
      assert.equal((await news.next()).done, true)
    }
    await others.stop()
  })

  it('ends with the signal, whatever it is doing', async () => {
    const id = await newLink(live)
    const early = AbortSignal.abort()
    for await (const _ of checkout.follow(id, early)) assert.fail('nothing is told')
    const two = [follow(id), follow(id)]
    await eventually('both are told', () => two.every(({ seen }) => seen.length > 0))
    await Promise.all(two.map(({ stop }) => stop()))
  })
})

describe('the watch itself', () => {
  /** The database, with a count of what it is asked, and out of order when it is told to be. */
  function counted() {
    const counter = { asked: 0, isBroken: false }
    const run = (...statement: Parameters<Db>) => {
      counter.asked += 1
      if (counter.isBroken) return Promise.reject(new Error('away'))
      return db(...statement)
    }
    return { counter, watch: openLinkWatch(Object.assign(run, db), openLog('silent')) }
  }

  it('asks nothing while nobody follows, and once for all who do', async () => {
    const { counter, watch } = counted()
    assert.equal(counter.asked, 0)
    const end = new AbortController()
    const ids = await Promise.all(Array.from({ length: 20 }, () => newLink(live)))
    const news = ids.map((id) => watch.follow(id, end.signal))
    const waiting = news.map((one) => one.next())
    await Promise.all(waiting)
    assert.ok(counter.asked <= 3, `${counter.asked}`)
    end.abort()
    await Promise.all(news.map((one) => one.next()))
    const { asked } = counter
    // As long as another one, which is followed, asks twice more.
    const other = counted()
    const stop = new AbortController()
    const following = other.watch.follow(ids[0] ?? '', stop.signal)
    await following.next()
    const { asked: before } = other.counter
    await eventually('it asks', () => other.counter.asked > before + 1)
    assert.equal(counter.asked, asked)
    stop.abort()
    await following.next()
  })

  it('goes on when the database comes back', async () => {
    const { counter, watch } = counted()
    const id = await newLink(live)
    const end = new AbortController()
    const news = watch.follow(id, end.signal)
    await news.next()
    counter.isBroken = true
    const { asked } = counter
    await eventually('it has tried', () => counter.asked > asked + 1)
    counter.isBroken = false
    await checkout.giveUp(id)
    assert.deepEqual(await news.next(), { done: false, value: undefined })
    end.abort()
    await news.next()
  })
})

it('a version never says more than the page that has it', async () => {
  for (let times = 0; times < 12; times += 1) {
    const id = await newLink(live)
    const looks: { version: string; kind: string }[] = []
    const look = async (waitMs: number) => {
      await sleep(waitMs)
      const view = await checkout.look(id)
      if (view !== undefined) looks.push({ version: view.version, kind: view.state.kind })
    }
    const looking = Array.from({ length: 40 }, (_, index) => look(index / 4))
    await Promise.all([...looking, sleep(3).then(() => checkout.giveUp(id))])
    const now = await untilSeen(live, id, 'failed')
    for (const { version, kind } of looks) if (version === now.version) assert.equal(kind, 'failed')
  }
})

it('accounts for every franc', () => assertMoney(live))
