import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Db } from '#data/db/db.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { assertSound, balances, bookkeeper } from '#test/ledger.ts'
import { sized } from '#test/size.ts'
import type { PostingResult } from './decide.ts'
import { post } from './post.ts'
import type { Posting } from './postings.ts'

const { db, connect } = await testDatabase()
// One pool for each of three processes.
const pools = [db, connect(), connect()]
const clock = testClock()
const now = clock.now()
/** Transactions begun, repeated ones included. */
let transactionsRun = 0

afterEach(() => assertSound(db))

function postOn(pool: Db | undefined, postings: Posting[]): Promise<PostingResult[]> {
  assert.ok(pool !== undefined)
  return pool.transaction((tx) => {
    transactionsRun += 1
    return post(tx, postings, now)
  })
}

/** Posts all arrays at once, spread over the pools; no error may reach a caller. */
async function postAll(arrays: Posting[][]): Promise<PostingResult[][]> {
  return Promise.all(arrays.map((postings, index) => postOn(pools[index % 3], postings)))
}

describe('random postings from several processes at once', () => {
  const clientsMax = 3
  const client = fc.nat({ max: clientsMax - 1 })
  // Few references, so that many are used twice: in one array, in another, or in another process.
  const ref = fc.nat({ max: 7 })
  const amount = fc.integer({ min: 1, max: 300 })
  const text = fc.oneof(
    fc.tuple(ref, amount).map(([n, francs]) => `fund ${n} ${francs}`),
    fc.tuple(ref, amount).map(([n, francs]) => `withdraw ${n} ${francs}`),
    fc.tuple(ref, amount).map(([n, francs]) => `collect ${n} ${francs} ${francs % 3}`),
    fc.tuple(ref, amount).map(([n, f]) => `collect ${n} ${f} 0 WALLETF_CM_CASHOUT`),
    ref.map((n) => `hold ${n} ${holdAmount(n)}`),
    ref.map((n) => `hold ${n} ${holdAmount(n)}`),
    fc.tuple(ref, ref).map(([n, held]) => `release ${n} ${held} ${holdAmount(held)}`),
    fc.tuple(ref, ref).map(([n, held]) => `capture ${n} ${held} ${holdAmount(held) - 3} 3`),
  )
  const arrays = fc.array(fc.array(fc.tuple(client, text), { minLength: 1, maxLength: 6 }), {
    minLength: 20,
    maxLength: 60,
  })

  it('each happen once, and every balance follows from the results', async () => {
    await fc.assert(
      fc.asyncProperty(arrays, async (plan) => {
        const clients = await Promise.all(
          Array.from({ length: clientsMax }, () => newClient(db, clock, 500)),
        )
        const books = clients.map((clientId) => bookkeeper(clientId, now))
        const postings = plan.map((array) => array.map(([who, what]) => at(books, who).write(what)))
        const results = await postAll(postings)
        const posted = postings.flat().filter((_, index) => at(results.flat(), index).isPosted)
        assertOnce(posted.map(({ clientId, kind, ref: name }) => `${clientId} ${kind} ${name}`))
        assertOnce(
          posted.flatMap(({ clientId, resolves }) => (resolves ? `${clientId} ${resolves}` : [])),
        )
        for (const clientId of clients)
          assert.deepEqual(
            await balances(db, clientId),
            [500, 0].map((start, which) => {
              const account = at(['available', 'held'], which)
              const own = posted.filter((posting) => posting.clientId === clientId)
              const lines = own.flatMap((posting) => posting.lines)
              const gains = lines.filter((line) => line.account === account)
              return gains.reduce((sum, line) => sum + line.amount, start)
            }),
          )
        await assertSound(db)
      }),
      // No shrinking: a failure that depends on timing may not occur again.
      { numRuns: sized(4, 15), endOnFailure: true },
    )
  })
})

describe('parallel debits', () => {
  it('of more than half of the balance each: exactly one succeeds', async () => {
    const many = sized(12, 40)
    const clients = await Promise.all(
      Array.from({ length: many }, () => newClient(db, clock, 1000)),
    )
    const orders = clients.flatMap((clientId) => {
      const books = bookkeeper(clientId, now)
      return Array.from({ length: 15 }, (_, index) => [books.write(`hold ${index} ${501 + index}`)])
    })
    transactionsRun = 0
    const results = (await postAll(shuffled(orders))).flat()
    assert.equal(transactionsRun, orders.length, 'no transaction was repeated')
    assert.deepEqual(count(results), { posted: many, insufficient: many * 14 })
    for (const clientId of clients) {
      const [available = 0, held = 0] = await balances(db, clientId)
      assert.ok(held > 500 && available + held === 1000)
    }
  })

  it('of many clients, in any order of clients, never deadlock', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => newClient(db, clock, 1000)))
    const orders = Array.from({ length: sized(40, 90) }, (_, order) =>
      shuffled(clients).map((clientId) => bookkeeper(clientId, now).write(`hold ${order} 501`)),
    )
    transactionsRun = 0
    const results = (await postAll(orders)).flat()
    assert.equal(transactionsRun, orders.length, 'no transaction was repeated')
    assert.deepEqual(count(results), { posted: 8, insufficient: 8 * (orders.length - 1) })
  })

  it('under one reference: exactly one is posted', async () => {
    const clientId = await newClient(db, clock, 1000)
    const orders = Array.from({ length: 60 }, () => [
      bookkeeper(clientId, now).write('withdraw once 10'),
    ])
    const results = (await postAll(orders)).flat()
    assert.deepEqual(count(results), { posted: 1, done_before: 59 })
    assert.deepEqual(await balances(db, clientId), [990, 0])
  })
})

describe('a hold that is captured and released at the same time', () => {
  const times = sized(50, 200)
  it(`ends either way but never both, ${times} times out of ${times}`, async () => {
    const clientId = await newClient(db, clock, times * 100)
    const books = bookkeeper(clientId, now)
    const holds = Array.from({ length: times }, (_, index) => `h${index}`)
    await postOn(
      db,
      holds.map((name) => books.write(`hold ${name} 100`)),
    )
    let captured = 0
    for (const [index, name] of holds.entries()) {
      const ends = [`capture ${name} ${name} 98 2`, `release ${name} ${name} 100`]
      if (index % 2 === 0) ends.reverse()
      const results = await postAll(ends.map((end) => [books.write(end)]))
      assert.deepEqual(count(results.flat()), { posted: 1, hold_resolved: 1 })
      if (results[ends.findIndex((end) => end.startsWith('capture'))]?.[0]?.isPosted) captured += 1
    }
    assert.deepEqual(await balances(db, clientId), [(times - captured) * 100, 0])
  })
})

function holdAmount(ref: number): number {
  return 40 + ref * 30
}

function count(results: PostingResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const result of results) {
    const name = result.isPosted ? 'posted' : result.because
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function assertOnce(names: string[]): void {
  assert.equal(new Set(names).size, names.length)
}

function shuffled<One>(list: One[]): One[] {
  return list
    .map((one): [number, One] => [Math.random(), one])
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)
}

function at<One>(list: One[], index: number): One {
  const one = list[index]
  if (one === undefined) throw new Error(`there is no ${index}`)
  return one
}
