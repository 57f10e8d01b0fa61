import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { bookkeeper } from '../../test/ledger.ts'
import type { Tx } from '../db/db.ts'
import { post } from '../ledger/post.ts'
import type { Posting } from '../ledger/postings.ts'
import { openHolds } from './holds.ts'
import type { StoredPosting } from './pages.ts'

const clock = testClock()
const now = clock.now()
const { db } = await testDatabase()
const clientId = await newClient(db, clock, 10_000)
const { write } = bookkeeper(clientId, now)
const [one, other, captured, released] = [
  'hold a 500',
  'hold b 300',
  'capture c a 495 5',
  'release d b 300',
].map(write) as [Posting, Posting, Posting, Posting]
await db.transaction((tx) => post(tx, [one, other, captured, released], now))

const unasked = (() => {
  throw new Error('nothing has to be looked up')
}) as unknown as Tx

function stored(posting: Posting): StoredPosting {
  return { ...posting, createdAt: now, digest: '', entries: [] }
}

function crooked(postings: Posting[], tx?: Tx, openMax?: number): Promise<string[]> {
  return db.transaction(async (real) => {
    const holds = openHolds(tx ?? real, openMax)
    for (const posting of postings) holds.take(stored(posting))
    return (await holds.crooked()).map(({ id }) => id)
  })
}

describe('holds that end as they should', () => {
  it('need no look into the database when they came before', async () => {
    assert.deepEqual(await crooked([one, other, released, captured], unasked), [])
  })

  it('are looked up when they come late, or are too many to remember', async () => {
    assert.deepEqual(await crooked([captured, one, other, released]), [])
    assert.deepEqual(await crooked([one, other, captured, released], undefined, 1), [])
    await assert.rejects(crooked([one, other, captured, released], unasked, 1), /looked up/)
  })
})

/** Looked up, whatever the database then says. */
describe('what is never taken for granted:', () => {
  const [line] = captured.lines
  assert.ok(line !== undefined)
  // name, what comes
  const unclear: [string, Posting[]][] = [
    ['an end without a hold', [captured]],
    ['an end of another client’s hold', [{ ...one, clientId: clientId + 1 }, captured]],
    ['a second end', [one, captured, { ...captured, id: released.id }]],
    ['an end of a part', [one, { ...captured, lines: [{ ...line, amount: -499 }] }]],
    ['an end that takes nothing from what is held', [one, { ...captured, lines: [] }]],
    ['an end that takes from it twice', [one, { ...captured, lines: [line, line] }]],
    ['a hold that is none', [{ ...one, kind: 'fund' }, captured]],
    [
      'an end of an end',
      [other, released, { ...captured, resolves: released.id, lines: [{ ...line, amount: 300 }] }],
    ],
    ['a hold that holds twice', [{ ...one, lines: [...one.lines, ...one.lines] }, captured]],
    [
      'a hold of nothing',
      [
        { ...one, lines: [] },
        { ...captured, lines: [] },
      ],
    ],
  ]
  for (const [name, postings] of unclear)
    it(name, async () => {
      await assert.rejects(crooked(postings, unasked), /looked up/)
    })
})
