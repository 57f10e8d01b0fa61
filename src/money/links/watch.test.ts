import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { newLink, untilSeen } from '#test/links.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { openLinkWatch } from './watch.ts'

const live = await liveGateway({ pace: 20 })
const elsewhere = await live.newProcess()
const { db } = live
const { checkout } = live.links

/** Follows a link and records the state that its payer sees after each change. */
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

describe('a follower of a link', { concurrency: true }, () => {
  it('is notified of every change, whichever process makes it', async () => {
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

  it('is notified of a change right after its first look, while others follow', async () => {
    const others = follow(await newLink(live))
    await eventually('the others are seen', () => others.seen.length === 1)
    for (let times = 0; times < 4; times += 1) {
      const id = await newLink(live)
      const end = new AbortController()
      const changes = checkout.follow(id, end.signal)[Symbol.asyncIterator]()
      const next = changes.next()
      assert.equal((await checkout.look(id))?.state.kind, 'choose')
      await elsewhere.links.checkout.giveUp(id)
      const result = await Promise.race([next, sleep(60_000, 'no change was seen', { ref: false })])
      assert.deepEqual(result, { done: false, value: undefined })
      end.abort()
      assert.equal((await changes.next()).done, true)
    }
    await others.stop()
  })

  it('stops at the signal, before it starts and while it waits', async () => {
    const id = await newLink(live)
    const early = AbortSignal.abort()
    for await (const _ of checkout.follow(id, early)) assert.fail('nothing must be yielded')
    const two = [follow(id), follow(id)]
    await eventually('both are notified', () => two.every(({ seen }) => seen.length > 0))
    await Promise.all(two.map(({ stop }) => stop()))
  })
})

describe('the watch of links', () => {
  /** A watch over a database that counts its statements, and fails them while `isBroken`. */
  function counted() {
    const counter = { statements: 0, isBroken: false }
    const run = (...statement: Parameters<Db>) => {
      counter.statements += 1
      if (counter.isBroken) return Promise.reject(new Error('away'))
      return db(...statement)
    }
    return { counter, watch: openLinkWatch(Object.assign(run, db), openLog('silent')) }
  }

  it('runs no statement without followers, and one round for all of them', async () => {
    const { counter, watch } = counted()
    assert.equal(counter.statements, 0)
    const end = new AbortController()
    const ids = await Promise.all(Array.from({ length: 20 }, () => newLink(live)))
    const changes = ids.map((id) => watch.follow(id, end.signal))
    const waiting = changes.map((one) => one.next())
    await Promise.all(waiting)
    assert.ok(counter.statements <= 3, `${counter.statements}`)
    end.abort()
    await Promise.all(changes.map((one) => one.next()))
    const { statements } = counter
    // Waits for as long as another watch, with a follower, takes for two more rounds.
    const other = counted()
    const stop = new AbortController()
    const following = other.watch.follow(ids[0] ?? '', stop.signal)
    await following.next()
    const { statements: before } = other.counter
    await eventually('two more rounds', () => other.counter.statements > before + 1)
    assert.equal(counter.statements, statements)
    stop.abort()
    await following.next()
  })

  it('continues when the database is back', async () => {
    const { counter, watch } = counted()
    const id = await newLink(live)
    const end = new AbortController()
    const changes = watch.follow(id, end.signal)
    await changes.next()
    counter.isBroken = true
    const { statements } = counter
    await eventually('it has tried', () => counter.statements > statements + 1)
    counter.isBroken = false
    await checkout.giveUp(id)
    assert.deepEqual(await changes.next(), { done: false, value: undefined })
    end.abort()
    await changes.next()
  })
})

it('a view never has the version of a later state than it shows', async () => {
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

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
