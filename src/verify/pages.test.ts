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
import type { PostingPlace, Scope } from './ledger-store.ts'
import { readScope } from './ledger-store.ts'
import type { StoredPosting } from './pages.ts'
import { postingPages } from './pages.ts'

const now = testClock().now()
const minutes = (count: number) => new Date(now.getTime() + count * 60_000)

/** Everything that is read, page by page. */
function readAll(
  db: Db,
  change = (scope: Scope) => scope,
): Promise<{ pages: StoredPosting[][]; strays: PostingPlace[] }> {
  return parallelLongRead(db, async (tx, beside) => {
    const pages: StoredPosting[][] = []
    const strays: PostingPlace[] = []
    const stray = ({ clientId, id }: PostingPlace) => void strays.push({ clientId, id })
    const scope = change(await readScope(tx))
    for await (const page of postingPages(tx, beside, scope, stray)) pages.push(page)
    return { pages, strays }
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

describe('postings are all read, each once and with its lines,', () => {
  // how ids lie, ids of each of three clients
  const ledgers: [string, () => string[]][] = [
    ['when there are none', () => []],
    ['of one moment', () => times(2100, () => newId(now))],
    ['of many minutes', () => times(1500, (index) => newId(minutes(index)))],
    ['of any moment that there can be', () => times(1500, () => randomUUID())],
    [
      'of the first and the last moment and of one crowded in between',
      () => [zero, ...times(2100, () => newId(now)), last],
    ],
  ]
  for (const [name, idsOf] of ledgers)
    it(name, async () => {
      const { db } = await testDatabase()
      const clients = [await newClient(db, testClock()), await newClient(db, testClock())]
      clients.push(await newClient(db, testClock()))
      for (const clientId of clients) await fundAll(db, clientId, idsOf())
      const { pages, strays } = await readAll(db)
      const read = pages
        .flat()
        .map(({ clientId, id, lines }) => `${clientId} ${id} ${lines.length}`)
      const stored = await db<{ text: string }>`
        select concat_ws(' ', client_id, posting_id, count(*)) as text
        from ledger_entries group by client_id, posting_id`
      assert.deepEqual(read.toSorted(), stored.map(({ text }) => text).toSorted())
      assert.deepEqual(strays, [])
      await assertSound(db)
    })
})

for (const [name, others] of [
  ['', []],
  [', also when one of them is said to be far older than all others', [zero]],
] as const)
  it(`pages are in the order of time, whoever they are of${name}`, async () => {
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

describe('without postings', () => {
  const stray = async (owner: Db, clientId: number) => {
    const id = newId(now)
    await owner`
      insert into ledger_entries (client_id, posting_id, line, account, currency, amount)
      values (${clientId}, ${id}, 0, 'fees', 'XOF', 1)`
    return { clientId, id }
  }

  it('lines of a client are strays', async () => {
    const { db, connect } = await testDatabase()
    const owner = connect({ asOwner: true })
    const [one, other] = [await newClient(db, testClock(), 5), await newClient(db, testClock())]
    await owner`alter table ledger_entries disable trigger user`
    const expected = await stray(owner, other)
    const { pages, strays } = await readAll(db)
    assert.deepEqual(strays, [expected])
    assert.deepEqual([...new Set(pages.flat().map(({ clientId }) => clientId))], [one])
  })

  it('nothing is said of lines that come out of order', async () => {
    const { db, connect } = await testDatabase()
    const owner = connect({ asOwner: true })
    const clients = [await newClient(db, testClock()), await newClient(db, testClock())]
    await owner`alter table ledger_entries disable trigger user`
    for (const clientId of clients) await stray(owner, clientId)
    await assert.rejects(readAll(db, turnClients), /came out of order/)
  })
})

it('nothing is said of postings that come out of order', async () => {
  const { db } = await testDatabase()
  for (const francs of [5, 6]) await newClient(db, testClock(), francs)
  await assert.rejects(readAll(db, turnClients), /came out of order/)
})

/** So that they are read in another order than they should be. */
function turnClients(scope: Scope): Scope {
  return { ...scope, clients: scope.clients.toReversed() }
}
