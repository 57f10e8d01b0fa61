import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { assertSound, bookkeeper } from '../../test/ledger.ts'
import type { Db } from '../db/db.ts'
import { parallelLongRead } from '../db/long-read.ts'
import { newId } from '../kit/ids.ts'
import { post } from '../ledger/post.ts'
import type { Line } from '../ledger/postings.ts'
import type { Scope } from './ledger-store.ts'
import { readScope } from './ledger-store.ts'
import type { StoredEntry, StoredPosting } from './pages.ts'
import { postingPages } from './pages.ts'
import type { PostingKey } from './pages-store.ts'

const now = testClock().now()
const minutes = (count: number) => new Date(now.getTime() + count * 60_000)

/** All pages, and the keys of lines without a posting. */
function readAll(
  db: Db,
  change = (scope: Scope) => scope,
): Promise<{ pages: StoredPosting[][]; orphans: PostingKey[] }> {
  return parallelLongRead(db, async (tx, second) => {
    const pages: StoredPosting[][] = []
    const orphans: PostingKey[] = []
    const reportOrphan = ({ clientId, id }: PostingKey) => void orphans.push({ clientId, id })
    const scope = change(await readScope(tx))
    for await (const page of postingPages(tx, second, scope, reportOrphan)) pages.push(page)
    return { pages, orphans }
  })
}

async function fundAll(db: Db, clientId: number, ids: string[]): Promise<void> {
  const { write } = bookkeeper(clientId, now)
  const postings = ids.map((id) => ({ ...write(`fund ${id} 1`), id }))
  await db.transaction((tx) => post(tx, postings, now))
}

const times = (count: number, id: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => id(index))

const zero = '00000000-0000-0000-0000-000000000000'
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

describe('every posting is read once, with its lines:', () => {
  // when ids were made, ids of each of three clients
  const ledgers: [string, () => string[]][] = [
    ['none at all', () => []],
    ['all in one millisecond', () => times(2100, () => newId(now))],
    ['one a minute', () => times(1500, (index) => newId(minutes(index)))],
    [
      'at random times from the first to the last that an id can have',
      () => times(1500, () => randomUUID()),
    ],
    [
      'at the first and the last time that an id can have, and many in one millisecond between',
      () => [zero, ...times(2100, () => newId(now)), last],
    ],
  ]
  for (const [name, idsOf] of ledgers)
    it(name, async () => {
      const { db } = await testDatabase()
      const clients = [await newClient(db, testClock()), await newClient(db, testClock())]
      clients.push(await newClient(db, testClock()))
      for (const clientId of clients) await fundAll(db, clientId, idsOf())
      const { pages, orphans } = await readAll(db)
      const read = pages
        .flat()
        .map(({ clientId, id, lines }) => `${clientId} ${id} ${lines.length}`)
      const stored = await db<{ text: string }>`
        select concat_ws(' ', client_id, posting_id, count(*)) as text
        from ledger_entries group by client_id, posting_id`
      assert.deepEqual(read.toSorted(), stored.map(({ text }) => text).toSorted())
      assert.deepEqual(orphans, [])
      await assertSound(db)
    })
})

it('postings and lines have the values of their rows', async () => {
  const { db } = await testDatabase()
  const clientId = await newClient(db, testClock(), 10_000)
  const { write } = bookkeeper(clientId, now)
  const texts = [
    'hold h 500',
    'capture é h 495 5',
    'collect k 600 9 WALLETA_CM_CASHOUT',
    'hold i 7',
  ]
  const awkward = { ...write('fund x 1'), ref: 'two\nlines, a tab\t and 😀' }
  await db.transaction((tx) => post(tx, [...texts.map(write), awkward], now))
  const postings = await db<StoredPosting>`
    select client_id as "clientId", id, kind, ref, resolves, created_at as "createdAt",
      encode(digest, 'hex') as digest
    from ledger_postings order by client_id, id`
  const lines = await db<Line & StoredEntry>`
    select e.client_id as "clientId", posting_id as "postingId", account, currency, amount, version,
      before, after, encode(e.hash, 'hex') as hash, encode(digest, 'hex') as digest
    from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, posting_id)
    order by e.client_id, posting_id, line`
  const { pages } = await readAll(db)
  assert.deepEqual(
    pages.flat(),
    postings.map((posting) => {
      const own = lines.filter(({ postingId }) => postingId === posting.id)
      return {
        ...posting,
        lines: own.map(({ account, currency, amount }) => ({ account, currency, amount })),
        entries: own
          .filter(({ version }) => version !== null)
          .map(({ currency: _currency, ...entry }) => entry),
      }
    }),
  )
  await assertSound(db)
})

for (const [name, others] of [
  ['', []],
  [', also when one id is far older than all others', [zero]],
] as const)
  it(`pages are in the order of time and mix clients${name}`, async () => {
    const { db } = await testDatabase()
    const clients = [await newClient(db, testClock()), await newClient(db, testClock())]
    for (const clientId of clients)
      await fundAll(db, clientId, [...others, ...times(4000, (index) => newId(minutes(index)))])
    const { pages } = await readAll(db)
    const filled = pages.filter((page) => page.length > 2)
    assert.ok(filled.length > 4)
    for (const page of filled.slice(0, -1))
      assert.equal(new Set(page.map(({ clientId }) => clientId)).size, 2)
    const ends = filled.map((page) => page.map(({ id }) => id).toSorted())
    for (const [index, ids] of ends.entries())
      assert.ok(index === 0 || (ends[index - 1]?.at(-1) ?? '') < (ids[0] ?? ''))
  })

describe('lines without a posting', () => {
  const insertOrphan = async (owner: Db, clientId: number) => {
    const id = newId(now)
    await owner`
      insert into ledger_entries (client_id, posting_id, line, account, currency, amount)
      values (${clientId}, ${id}, 0, 'fees', 'XOF', 1)`
    return { clientId, id }
  }

  it('are reported', async () => {
    const { db, connect } = await testDatabase()
    const owner = connect({ asOwner: true })
    const [one, other] = [await newClient(db, testClock(), 5), await newClient(db, testClock())]
    await owner`alter table ledger_entries disable trigger user`
    const expected = await insertOrphan(owner, other)
    const { pages, orphans } = await readAll(db)
    assert.deepEqual(orphans, [expected])
    assert.deepEqual([...new Set(pages.flat().map(({ clientId }) => clientId))], [one])
  })

  it('throw when they are out of order', async () => {
    const { db, connect } = await testDatabase()
    const owner = connect({ asOwner: true })
    const clients = [await newClient(db, testClock()), await newClient(db, testClock())]
    await owner`alter table ledger_entries disable trigger user`
    for (const clientId of clients) await insertOrphan(owner, clientId)
    await assert.rejects(readAll(db, reverseClients), /came out of order/)
  })
})

it('postings that are out of order throw', async () => {
  const { db } = await testDatabase()
  for (const francs of [5, 6]) await newClient(db, testClock(), francs)
  await assert.rejects(readAll(db, reverseClients), /came out of order/)
})

/** So that rows are returned in another order than that of keys. */
function reverseClients(scope: Scope): Scope {
  return { ...scope, clients: scope.clients.toReversed() }
}
