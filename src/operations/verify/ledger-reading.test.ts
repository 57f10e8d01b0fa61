import assert from 'node:assert/strict'
import { test } from 'node:test'
import { post } from '#money/ledger/post.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { bookkeeper } from '#test/ledger.ts'
import { verifyLedger } from './ledger.ts'

const clock = testClock()
const now = clock.now()

test('verifyLedger counts what it read and reports its progress page by page', async () => {
  const { db } = await testDatabase()
  const clientId = await newClient(db, clock)
  const books = bookkeeper(clientId, now)
  const texts = Array.from({ length: 5_100 }, (_, index) => `fund ${index} 1`)
  await db.transaction((tx) => post(tx, texts.map(books.write), now))
  const progress: number[] = []
  const verdict = await verifyLedger(db, (done, total) => {
    assert.equal(total, 5_100)
    progress.push(done)
  })
  const counts = { postings: 5_100, entries: 5_100, accounts: 2, anchors: 0 }
  assert.deepEqual(verdict, { ...counts, breaks: [] })
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  )
  assert.deepEqual([...new Set(progress)].slice(-3), [4000, 5000, 5100])
})

test('a ledger whose references contain separators is sound', async () => {
  const { db } = await testDatabase()
  const clientId = await newClient(db, clock)
  const refs = ['two\nlines', 'a,comma', 'tab\t', '"\\x00"', 'é🙂', 'plain']
  const { write } = bookkeeper(clientId, now)
  const postings = refs.map((ref) => ({ ...write('fund x 1'), ref }))
  await db.transaction((tx) => post(tx, postings, now))
  assert.deepEqual((await verifyLedger(db)).breaks, [])
})

test('verifyLedger reads one snapshot while postings are made', async () => {
  const { db } = await testDatabase()
  const clientId = await newClient(db, clock, 1000)
  const books = bookkeeper(clientId, now)
  let isOver = false
  const postUntilOver = async () => {
    for (let n = 0; !isOver; n += 1)
      await db.transaction((tx) => post(tx, [books.write(`hold ${n} 1`)], now))
  }
  const done = postUntilOver()
  for (let times = 0; times < 30; times += 1) assert.deepEqual((await verifyLedger(db)).breaks, [])
  isOver = true
  await done
})
