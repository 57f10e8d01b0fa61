import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import type { Db, Tx } from './db.ts'
import { longRead, longReads } from './long-read.ts'

const { db } = await testDatabase()

async function limitOf(run: Db | Tx): Promise<string | undefined> {
  const [row] = await run<{ limit: string }>`
    select current_setting('statement_timeout') as limit`
  return row?.limit
}

const close = (run: Db | Tx, scope: string) =>
  run`insert into maintenance (scope, reason, since) values (${scope}, '', now())`
const closed = async (run: Db | Tx) => (await run`select from maintenance`).length

it('a long reading has no limit, and only while it lasts', async () => {
  assert.equal(await limitOf(db), '1min')
  assert.equal(await longRead(db, limitOf), '0')
  assert.equal(await limitOf(db), '1min')
})

it('a long reading sees one moment, and changes nothing', async () => {
  await longRead(db, async (tx) => {
    assert.equal(await closed(tx), 0)
    await close(db, 'one')
    assert.equal(await closed(tx), 0)
  })
  assert.equal(await closed(db), 1)
  await assert.rejects(
    longRead(db, (tx) => close(tx, 'two')),
    /read-only transaction/,
  )
})

it('two connections of a long reading see the same moment, and change nothing', async () => {
  const before = await closed(db)
  await longReads(db, async (tx, beside) => {
    await close(db, 'three')
    assert.deepEqual([await closed(tx), await closed(beside)], [before, before])
    assert.deepEqual([await limitOf(tx), await limitOf(beside)], ['0', '0'])
    const pids = await Promise.all(
      [tx, beside].map(async (run) => (await run`select pg_backend_pid() as pid`)[0]?.pid),
    )
    assert.notEqual(pids[0], pids[1])
  })
  assert.equal(await closed(db), before + 1)
  for (const one of [0, 1])
    await assert.rejects(
      longReads(db, (...both) => close(both[one] ?? db, 'four')),
      /read-only transaction/,
    )
})
