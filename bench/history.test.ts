import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { findOwn } from '#money/transactions/find.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { assertMoney } from '#test/money.ts'
import { writeHistory } from './history-fill.ts'

const { db, url, connect } = await testDatabase()
const transactions = 2000

it('a generated history passes every check that real payments must pass', async () => {
  const keys: { clientId: number; keyId: string }[] = []
  for (const funds of [5_000_000, 0, 1_000_000]) {
    const clientId = await newClient(db, clock, funds)
    const key = { clientId, label: 'test', actor: 'test' }
    const { id } = await db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, key))
    keys.push({ clientId, keyId: id })
  }
  const before = await readDefinitions()
  const progress = { now: () => {}, line: () => {} }
  await writeHistory({ url, transactions, progress })
  await assertMoney({ db })
  assert.deepEqual(await readDefinitions(), before)
  const [counts] = await db<Record<string, number>>`
    select count(*) as made, count(*) filter (where status = 'SUCCESS') as succeeded,
      count(*) filter (where operation = 'CASHIN') as payouts, count(distinct client_id) as clients
    from transactions`
  assert.deepEqual(counts, { made: 2000, succeeded: 1840, payouts: counts?.payouts, clients: 3 })
  assert.ok((counts?.payouts ?? 0) > 300)
  const [owner] = keys
  assert.ok(owner !== undefined)
  const found = await findOwn(db, owner, `old-${owner.clientId}-0`)
  assert.equal(found?.clientId, owner.clientId)
})

/** The definition of every constraint and index, as PostgreSQL prints it. */
async function readDefinitions(): Promise<string[]> {
  const owner = connect({ asOwner: true })
  const rows = await owner<{ text: string }>`
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as text
    from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select indexdef from pg_indexes where schemaname = 'public' order by 1`
  return rows.map(({ text }) => text)
}
