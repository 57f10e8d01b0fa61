import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testDatabase } from '#test/database.ts'
import type { Db, Tx } from './db.ts'
import { longRead, parallelLongRead } from './long-read.ts'

const { db } = await testDatabase()

/** The statement timeout, and the timeout of an idle transaction. */
async function limitsOf(run: Db | Tx): Promise<unknown[]> {
  const [row] = await run<{ statement: string; idle: string }>`
    select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`
  return [row?.statement, row?.idle]
}

const usual = ['1min', '5s']
const long = ['0', '1h']

const close = (run: Db | Tx, scope: string) =>
  run`insert into maintenance (scope, reason, since) values (${scope}, '', now())`
const closed = async (run: Db | Tx) => (await run`select from maintenance`).length

it('longRead lifts the timeouts for its own transaction only', async () => {
  assert.deepEqual(await limitsOf(db), usual)
  assert.deepEqual(await longRead(db, limitsOf), long)
  assert.deepEqual(await limitsOf(db), usual)
})

it('longRead sees one snapshot, and cannot write', async () => {
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

it('both connections of parallelLongRead see one snapshot, and cannot write', async () => {
  const before = await closed(db)
  await parallelLongRead(db, async (tx, second) => {
    await close(db, 'three')
    assert.deepEqual([await closed(tx), await closed(second)], [before, before])
    assert.deepEqual([await limitsOf(tx), await limitsOf(second)], [long, long])
    const pids = await Promise.all(
      [tx, second].map(async (run) => (await run`select pg_backend_pid() as pid`)[0]?.pid),
    )
    assert.notEqual(pids[0], pids[1])
  })
  assert.equal(await closed(db), before + 1)
  for (const one of [0, 1])
    await assert.rejects(
      parallelLongRead(db, (...both) => close(both[one] ?? db, 'four')),
      /read-only transaction/,
    )
})
