import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { bookkeeper } from '../../test/ledger.ts'
import type { Tx } from '../db/db.ts'
import { post } from '../ledger/post.ts'
import type { Posting } from '../ledger/postings.ts'
import { openHoldCheck } from './holds.ts'
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

/** A connection on which every statement fails. */
const forbiddenTx = (() => {
  throw new Error('the database was read')
}) as unknown as Tx

function stored(posting: Posting): StoredPosting {
  return { ...posting, createdAt: now, digest: '', entries: [] }
}

function wrongEnds(postings: Posting[], tx?: Tx, rememberedMax?: number): Promise<string[]> {
  return db.transaction(async (realTx) => {
    const holds = openHoldCheck(tx ?? realTx, rememberedMax)
    for (const posting of postings) holds.add(stored(posting))
    return (await holds.findWrongEnds()).map(({ id }) => id)
  })
}

describe('holds that end once and as a whole', () => {
  it('are checked without the database when they are read before their end', async () => {
    assert.deepEqual(await wrongEnds([one, other, released, captured], forbiddenTx), [])
  })

  it('are looked up when they are read after their end, or are too many to remember', async () => {
    assert.deepEqual(await wrongEnds([captured, one, other, released]), [])
    assert.deepEqual(await wrongEnds([one, other, captured, released], undefined, 1), [])
    const tooMany = wrongEnds([one, other, captured, released], forbiddenTx, 1)
    await assert.rejects(tooMany, /the database was read/)
  })
})

describe('the database is always asked about', () => {
  const [line] = captured.lines
  assert.ok(line !== undefined)
  // name, postings in the order in which they are read
  const doubtful: [string, Posting[]][] = [
    ['the end of a hold that was not read', [captured]],
    ['the end of another client’s hold', [{ ...one, clientId: clientId + 1 }, captured]],
    ['the second end of a hold', [one, captured, { ...captured, id: released.id }]],
    ['an end of another amount', [one, { ...captured, lines: [{ ...line, amount: -499 }] }]],
    ['an end without a line of the held account', [one, { ...captured, lines: [] }]],
    ['an end with two lines of the held account', [one, { ...captured, lines: [line, line] }]],
    ['the end of a posting that is not a hold', [{ ...one, kind: 'fund' }, captured]],
    [
      'the end of a posting that is the end of a hold',
      [other, released, { ...captured, resolves: released.id, lines: [{ ...line, amount: 300 }] }],
    ],
    [
      'the end of a hold with two lines of the held account',
      [{ ...one, lines: [...one.lines, ...one.lines] }, captured],
    ],
    [
      'the end of a hold without a line of the held account',
      [
        { ...one, lines: [] },
        { ...captured, lines: [] },
      ],
    ],
  ]
  for (const [name, postings] of doubtful)
    it(name, async () => {
      await assert.rejects(wrongEnds(postings, forbiddenTx), /the database was read/)
    })
})
