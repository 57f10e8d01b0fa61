import assert from 'node:assert/strict'
import { afterEach, describe, it, test } from 'node:test'
import { newId } from '#base/kit/ids.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { assertSound, balances, bookkeeper } from '#test/ledger.ts'
import { balanceOf } from './balance.ts'
import type { PostingResult } from './decide.ts'
import { post, postDated, postPipelined } from './post.ts'
import type { Posting } from './postings.ts'

const { db } = await testDatabase()
const clock = testClock()
const now = clock.now()
const make = (postings: Posting[]) => db.transaction((tx) => post(tx, postings, clock.now()))

afterEach(() => assertSound(db))

// name, balance at first, arrays posted one after the other, results, [available, held]
const scenarios: [string, number, string[][], string[], [number, number]][] = [
  ['no postings', 5, [[]], [], [5, 0]],
  ['fund', 0, [['fund a 500']], ['0>500'], [500, 0]],
  [
    'fund twice under one reference',
    0,
    [['fund a 5'], ['fund a 5']],
    ['0>5', 'done_before'],
    [5, 0],
  ],
  ['fund twice in one array', 0, [['fund a 5', 'fund a 5']], ['0>5', 'done_before'], [5, 0]],
  ['withdraw more than the balance', 500, [['withdraw w 501']], ['insufficient'], [500, 0]],
  ['withdraw the whole balance', 500, [['withdraw w 500']], ['500>0'], [0, 0]],
  [
    'hold, and capture later',
    500,
    [['hold h 400'], ['capture c h 390 10']],
    ['500>100', '100>100'],
    [100, 0],
  ],
  [
    'hold and capture in the same array',
    500,
    [['hold h 400', 'capture c h 390 10']],
    ['500>100', '100>100'],
    [100, 0],
  ],
  [
    'hold, release, then capture',
    500,
    [['hold h 400'], ['release r h 400'], ['capture c h 390 10']],
    ['500>100', '100>500', 'hold_resolved'],
    [500, 0],
  ],
  [
    'capture a hold twice under two references',
    900,
    [
      ['hold h 400', 'hold i 400'],
      ['capture c h 390 10', 'capture d h 390 10'],
    ],
    ['900>500', '500>100', '100>100', 'hold_resolved'],
    [100, 400],
  ],
  ['release a hold that does not exist', 500, [['release r h 400']], ['hold_missing'], [500, 0]],
  [
    'collect XAF that is settled in XOF',
    0,
    [['collect c 1000 20 WALLETA_CM_CASHOUT']],
    ['0>980'],
    [980, 0],
  ],
  [
    'one refused hold among accepted ones',
    100,
    [['hold a 60', 'hold b 60', 'hold c 40']],
    ['100>40', 'insufficient', '40>0'],
    [0, 100],
  ],
]

describe('post:', () => {
  for (const [name, money, arrays, results, left] of scenarios)
    it(name, async () => {
      const clientId = await newClient(db, clock, money)
      const books = bookkeeper(clientId, now)
      const got: string[] = []
      for (const texts of arrays) got.push(...(await make(texts.map(books.write))).map(resultText))
      assert.deepEqual(got, results)
      assert.deepEqual(await balances(db, clientId), left)
    })
})

describe('post', () => {
  it('posts for several clients in one array, each on its own accounts', async () => {
    const [one, two] = [await newClient(db, clock, 100), await newClient(db, clock, 100)]
    const write = (clientId: number, text: string) => bookkeeper(clientId, now).write(text)
    const postings = [write(two, 'hold h 70'), write(one, 'hold h 30'), write(two, 'hold i 70')]
    assert.deepEqual((await make(postings)).map(resultText), ['100>30', '100>70', 'insufficient'])
    assert.deepEqual(await balances(db, one), [70, 30])
    assert.deepEqual(await balances(db, two), [30, 70])
  })

  it("does not end another client's hold", async () => {
    const [one, two] = [await newClient(db, clock, 100), await newClient(db, clock, 100)]
    const books = bookkeeper(one, now)
    await make([books.write('hold h 50')])
    const stolen = { ...books.write('release r h 50'), clientId: two, id: newId(now) }
    assert.deepEqual((await make([stolen])).map(resultText), ['hold_missing'])
  })

  it('does not resolve a posting that is not a hold', async () => {
    const books = bookkeeper(await newClient(db, clock, 100), now)
    const collected = books.write('collect c 50 0')
    const wrong = { ...books.write('release r h 50'), resolves: collected.id }
    assert.deepEqual((await make([collected, wrong])).map(resultText), ['100>150', 'hold_missing'])
    const later = { ...books.write('release s h 50'), resolves: collected.id }
    assert.deepEqual((await make([later])).map(resultText), ['hold_missing'])
  })

  it('leaves nothing behind when the transaction is rolled back', async () => {
    const clientId = await newClient(db, clock, 100)
    const books = bookkeeper(clientId, now)
    const work = db.transaction(async (tx) => {
      await post(tx, [books.write('hold h 50')], now)
      throw new Error('no')
    })
    await assert.rejects(work, /^Error: no$/)
    assert.deepEqual(await balances(db, clientId), [100, 0])
    assert.deepEqual((await make([books.write('hold h 50')])).map(resultText), ['100>50'])
  })

  it('sees postings made before in the same transaction', async () => {
    const clientId = await newClient(db, clock, 100)
    const books = bookkeeper(clientId, now)
    await db.transaction(async (tx) => {
      const [held] = await post(tx, [books.write('hold h 60')], now)
      const [twice] = await post(tx, [books.write('hold h 60')], now)
      const [more] = await post(tx, [books.write('hold i 60')], now)
      const [back] = await post(tx, [books.write('release r h 60')], now)
      assert.deepEqual(
        [held, twice, more, back].map((one) => one && resultText(one)),
        ['100>40', 'done_before', 'insufficient', '40>100'],
      )
    })
  })

  it('leaves no rejection unhandled if its caller gives up before the write fails', async () => {
    const posting = bookkeeper(await newClient(db, clock, 100), now).write('hold h 50')
    await make([posting])
    // The runner fails a test with an unhandled rejection.
    const work = db.transaction(async (tx) => {
      await postPipelined(tx, [posting], now, () => true)
      throw new Error('given up')
    })
    await assert.rejects(work, /given up/)
  })

  it('refuses a client without accounts', async () => {
    const nobody = bookkeeper(999_999, now).write('fund f 1')
    await assert.rejects(make([nobody]), /client 999999 has no account/)
  })
})

describe('postings of the past', () => {
  const dated = (postings: Posting[]) =>
    postings.map((posting, hours) => ({ posting, at: new Date(now.getTime() + hours * 3_600_000) }))
  const makeDated = (postings: Posting[]) => db.transaction((tx) => postDated(tx, dated(postings)))

  it('have times of their own, and the balance has the last of them', async () => {
    const clientId = await newClient(db, clock, 100)
    const { write } = bookkeeper(clientId, now)
    const results = await makeDated([write('hold h 60'), write('release r h 60')])
    assert.deepEqual(results, [
      { before: 100, after: 40 },
      { before: 40, after: 100 },
    ])
    const at = new Date(now.getTime() + 3_600_000)
    assert.deepEqual(await balanceOf(db, clientId), { balance: 100, updatedAt: at })
  })

  for (const [what, texts, because] of [
    ['more than there is', ['hold h 60', 'hold i 60'], 'insufficient'],
    ['one that was made before', ['hold i 10', 'fund f 5'], 'done_before'],
  ] as const)
    it(`are all refused with ${what}`, async () => {
      const clientId = await newClient(db, clock, 95)
      const { write } = bookkeeper(clientId, now)
      await make([write('fund f 5')])
      const all = texts.map(write)
      await assert.rejects(makeDated(all), new RegExp(`of the past: ${because}`))
      assert.deepEqual(await balances(db, clientId), [100, 0])
    })
})

test('balanceOf returns the available balance and the time of its last entry', async () => {
  const clientId = await newClient(db, clock, 500)
  clock.advance(1000)
  await make([bookkeeper(clientId, now).write('hold h 200')])
  assert.deepEqual(await balanceOf(db, clientId), { balance: 300, updatedAt: clock.now() })
  await assert.rejects(balanceOf(db, 999_999), /has no accounts/)
})

function resultText(result: PostingResult): string {
  if (!result.isPosted) return result.because
  return `${result.available.before}>${result.available.after}`
}
