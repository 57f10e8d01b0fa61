import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock as clock, after as later } from '#base/kit/clock.ts'
import { nameOf } from '#money/providers/bindings.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { readOldStatements } from './overview.ts'

const hourMs = 3_600_000

it('a provider with payments of days ago that never had a statement is told of, live', async () => {
  const { db } = await testDatabase()
  const clientId = await newClient(db, clock, 0)
  const now = clock.now()
  const bound = ['WALLETA', 'WALLETC'].map((provider) => ({
    binding: { provider, country: 'SN' as const, connector: 'gsma', baseUrl: 'https://a.example' },
  }))
  const old = async (mode: 'live' | 'sandbox') => {
    const found = await readOldStatements({ db, mode, providers: { all: () => bound } }, now)
    return found.map((one) => [nameOf(one), one.toAt])
  }
  const pay = (hoursAgo: number, service: string) => db`
    insert into transaction_hours (client_id, hour, operation, service_code, status, count,
      amount, fee)
    values (${clientId}, date_trunc('hour', ${later(now, -hoursAgo * hourMs)}::timestamptz),
      'CASHOUT', ${service}, 'SUCCESS', 1, 500, 5)`
  await pay(40, 'WALLETA_SN_CASHOUT')
  // Not bound any more, and of before anybody would ask.
  await pay(60, 'WALLETE_SN_CASHOUT')
  await pay(300, 'WALLETA_SN_CASHOUT')
  assert.deepEqual(await old('live'), [])
  await pay(60, 'WALLETC_SN_CASHOUT')
  assert.deepEqual(await old('live'), [['WALLETC_SN', null]])
  assert.deepEqual(await old('sandbox'), [])
})
