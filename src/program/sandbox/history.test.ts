import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readHome } from '#backoffice/reports/figures.ts'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { likelyProvider } from '#merchants/catalog/phone.ts'
import { numberingOf } from '#merchants/catalog/phone-forms.ts'
import { lockDemo } from '#merchants/clients/store.ts'
import { balanceOf } from '#money/ledger/balance.ts'
import { findBalance } from '#money/ledger/store.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { testDatabase } from '#test/database.ts'
import { assertMoney } from '#test/money.ts'
import { ensureDemoData } from './demo.ts'
import { planHistory } from './history-plan.ts'

describe('the past of the demo merchant', async () => {
  const { db } = await testDatabase()
  await ensureDemoData(db, clock, readConfig({}))

  async function distinct(column: 'provider' | 'operation' | 'failure' | 'key'): Promise<string[]> {
    const rows = await db<Record<typeof column, string>>`
      select distinct split_part(service_code, '_', 1) as provider, operation, failure,
        key_id as key from transactions`
    return [...new Set(rows.map((row) => row[column]))].filter(Boolean).sort()
  }

  it('ends with five million to spend and nothing held, and every check holds', async () => {
    assert.equal((await balanceOf(db, 1)).balance, 5_000_000)
    assert.equal((await findBalance(db, 1, 'held'))?.balance, 0)
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
    await assertMoney({ db })
  })

  it('has every wallet, kind and shop, refunds, links and failures with their causes', async () => {
    const providers = await distinct('provider')
    for (const letter of 'ABCDEFG') assert.ok(providers.includes(`WALLET${letter}`), letter)
    assert.deepEqual(await distinct('operation'), [
      'AIRTIME',
      'BILL',
      'CASHIN',
      'CASHOUT',
      'REFUND',
    ])
    assert.ok((await distinct('failure')).length >= 6)
    const [row] = await db<Record<string, number>>`
      select (select count(*) from transactions) as transactions,
        (select count(distinct sub_merchant_id) from transactions) as shops,
        (select count(distinct status) from links) as ends,
        (select count(distinct created_at::date) from transactions) as days`
    assert.ok((row?.transactions ?? 0) > 1000 && (row?.transactions ?? 0) < 3000)
    assert.equal(row?.shops, 3)
    const defaults = await db`
      select from sub_merchants where client_id = 1 and is_default and is_active`
    assert.equal(defaults.length, 1)
    assert.ok((row?.ends ?? 0) >= 3)
    assert.ok((row?.days ?? 0) >= 30)
    const { last, wallets } = await readHome(db, { clientId: 1, zone: 'UTC', now: clock.now() })
    assert.ok((last.CASHOUT.successRate ?? 0) > 850, String(last.CASHOUT.successRate))
    assert.ok(wallets.length > 10)
  })

  it('has numbers of the wallets that they paid with', async () => {
    const rows = await db<{ service: string; phone: string }>`
      select distinct service_code as service, phone from transactions
      where operation in ('CASHIN', 'CASHOUT') and service_code like 'WALLET%'`
    const foreign = rows.filter(({ service, phone }) => {
      const [provider = '', country = ''] = service.split('_')
      const known = Object.values(numberingOf(country)?.prefixes ?? {})
      return known.includes(provider) && likelyProvider(phone, country) !== provider
    })
    assert.deepEqual(foreign, [])
  })

  it('was made with the standard key, reached nobody and waits for nothing', async () => {
    const [key] = await db<{ id: string }>`
      select id from api_keys where client_id = 1 and label = 'standard'`
    assert.deepEqual(await distinct('key'), [key?.id])
    const waiting = await db`
      select from deliveries union all select from mails
      union all select from transactions where completed_at is null or due_at is not null
      union all select from transactions where created_at > now() or completed_at > now()
      union all select from transactions t join clients c on c.id = t.client_id
        where t.created_at < c.created_at`
    assert.equal(waiting.length, 0)
  })

  it('is made in a transaction that the server leaves to a busy machine for minutes', async () => {
    const idle = await db.transaction(async (tx) => {
      await lockDemo(tx)
      const [row] = await tx<{ idle: string }>`
        select current_setting('idle_in_transaction_session_timeout') as idle`
      return row?.idle
    })
    assert.equal(idle, '10min')
  })

  it('is left out by DEMO_HISTORY=0', async () => {
    const { db: empty } = await testDatabase()
    await ensureDemoData(empty, clock, readConfig({ DEMO_HISTORY: '0' }))
    assert.deepEqual(await empty`select from transactions`, [])
    assert.equal((await balanceOf(empty, 1)).balance, 5_000_000)
  })
})

describe('the plan of that past', () => {
  it('is the same each time, and never overdraws the account, whatever the day', () => {
    for (let hour = 0; hour < 24 * 9; hour += 17) {
      const now = new Date(Date.UTC(2026, 9, 28, hour, 17))
      const plan = planHistory(now)
      assert.deepEqual(planHistory(now), plan)
      const funds = 5_000_000 - plan.net
      const debits = [...plan.payments, ...plan.links.flatMap(({ tries }) => tries)].flatMap(
        ({ service, amount, fee, refund, failure, at, endedAt }) => [
          ...(service.isDebit ? [{ at, amount: -(amount + fee) }] : []),
          ...(failure === null && !service.isDebit ? [{ at: endedAt, amount: amount - fee }] : []),
          ...(failure !== null && service.isDebit ? [{ at: endedAt, amount: amount + fee }] : []),
          ...(refund === null ? [] : [{ at: refund.at, amount: -refund.amount }]),
        ],
      )
      const withdrawn = plan.withdrawals.map(({ at, amount }) => ({ at, amount: -amount }))
      let balance = funds
      for (const { amount } of [...debits, ...withdrawn].sort(
        (one, other) => one.at.getTime() - other.at.getTime(),
      )) {
        balance += amount
        assert.ok(balance >= 0, `overdrawn at ${now.toISOString()}`)
      }
      assert.equal(balance, 5_000_000)
    }
  })
})
