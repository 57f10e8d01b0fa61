import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { systemClock as clock, after as later } from '#base/kit/clock.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { eachTransaction } from '#money/transactions/each.ts'
import { anyTransaction, listPage } from '#money/transactions/list.ts'
import { searchTransactions } from '#money/transactions/search.ts'
import { sumList } from '#money/transactions/sum.ts'
import { isDebit, type Transaction } from '#money/transactions/transaction.ts'
import { findSummaryBreaks } from '#operations/verify/summaries-store.ts'
import { newLink, untilSeen } from '#test/links.ts'
import { call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { readAttention } from './attention.ts'
import { readDetail, timelineOf } from './detail.ts'
import { collectedIn, paidOutIn, readHome } from './figures.ts'
import { eachMovement, listMovements } from './movements.ts'
import { readStatement } from './statement.ts'
import { summariseAll, summariseBatch } from './summarise.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, clientId, links, transactions, reports } = gateway
const owner = gateway.connect({ asOwner: true })
const stranger = await gateway.newMerchant()
const startedAt = clock.now()
const zone = 'Africa/Dakar'
const hourMs = 3_600_000
const wide = { from: later(startedAt, -48 * hourMs), to: later(startedAt, 48 * hourMs) }
const ids: Record<string, string> = {}

async function allOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

async function init(change: object, caller = { ...gateway }): Promise<string> {
  const answer = await call(caller, 'POST /api/v1/transaction/init', initBody(change))
  assert.equal(answer.status, 201, answer.text)
  return answer.body.transaction.transactionId
}

async function ended(change: object): Promise<string> {
  const id = await init(change)
  await until(gateway, id, isEnd)
  return id
}

/** The home figures that the tests compare. */
async function home() {
  const { today, last, wallets, available, held, open, isCurrent } = await readHome(db, {
    clientId,
    zone,
    now: clock.now(),
  })
  return { today: today.all, last, wallets, available, held, open, isCurrent }
}

before(async () => {
  ids.paid = await collected(gateway, { externalTransactionId: 'spring-1', amount: 10_000 })
  ids.refused = await ended({ externalTransactionId: 'spring-2', number: '770000002' })
  ids.payout = await ended({
    serviceCode: 'WALLETB_SN_CASHIN',
    amount: 700,
    number: '765550001',
  })
  ids.poor = await ended({ serviceCode: 'WALLETA_SN_CASHIN', amount: 900, number: '770000001' })
  const refund = await call(gateway, `POST /api/v1/transaction/refund/${ids.paid}`, {
    amount: 1000,
    reason: 'a dent',
  })
  ids.refund = refund.body.refund.refundId
  await until(gateway, ids.refund ?? '', isEnd)
  // A link with a payment that failed, still open for another one.
  ids.link = await newLink(gateway, { externalTransactionId: 'panier-7' })
  await links.checkout.pay(ids.link, { serviceCode: 'WALLETA_SN_CASHOUT', phone: '770000002' })
  await eventually('the payment of the link fails', async () => {
    const rows = await db`
      select from transactions where link_id = ${ids.link ?? null} and completed_at is not null`
    return rows.length > 0
  })
  // An order that the provider takes and never ends.
  ids.open = await init({
    serviceCode: 'WALLETA_SN_CASHIN',
    amount: 1500,
    number: '770000004',
  })
})

describe('home', () => {
  it('shows what ended and what is open, before and after it is summed up', async () => {
    const seen = await home()
    const { all, CASHOUT, CASHIN, REFUND } = seen.last
    assert.deepEqual(
      [all.ended, CASHOUT.ended, CASHOUT.succeeded, CASHOUT.amount, CASHOUT.fee],
      [6, 3, 1, 10_000, 200],
    )
    assert.equal(CASHOUT.successRate, 333)
    const collected = { count: 1, amount: 9000, averageAmount: 9000 }
    assert.deepEqual([collectedIn(seen.last), paidOutIn(seen.last)], [collected, 700])
    assert.deepEqual([CASHIN.ended, CASHIN.amount, CASHIN.fee], [2, 700, 14])
    assert.deepEqual([REFUND.ended, REFUND.amount, REFUND.fee], [1, 1000, 0])
    assert.deepEqual(seen.today, all)
    assert.deepEqual(
      seen.wallets.map(({ wallet, ended: count }) => [wallet, count]),
      [['WALLETA_SN', 3]],
    )
    assert.equal(seen.available, 5_000_000 + 9800 - 714 - 1000 - 1530)
    assert.deepEqual([seen.held, seen.open, seen.isCurrent], [1530, 1, true])
    await summariseAll(db)
    assert.deepEqual(await home(), seen)
    assert.deepEqual(await findSummaryBreaks(db), [])
  })

  it('counts the payments of a link once, when it has ended too', async () => {
    const { last } = await home()
    await links.checkout.giveUp(ids.link ?? '')
    await untilSeen(gateway, ids.link ?? '', 'failed')
    assert.deepEqual((await home()).last, last)
    await summariseAll(db)
    assert.deepEqual((await home()).last, last)
  })

  it('is summed up once by several processes, whatever the size of a batch', async () => {
    const { clientId: own, secret } = stranger
    const caller = { ...gateway, secret }
    for (let count = 0; count < 5; count += 1) await init({ amount: 1000 }, caller)
    await eventually('all have ended', async () => {
      const rows = await db`
        select from transactions where client_id = ${own} and completed_at is null`
      return rows.length === 0
    })
    while ((await Promise.all([1, 2, 3].map(() => summariseBatch(db, own, 1)))).some(Boolean));
    assert.deepEqual(await findSummaryBreaks(db), [])
    const { last } = await readHome(db, { clientId: own, zone, now: clock.now() })
    assert.deepEqual([last.all.ended, last.all.amount], [5, 5000])
  })

  it('puts an hour into the day of the zone, and compares with whole months', async () => {
    const clientOfNight = (await gateway.newMerchant()).clientId
    await db`
      insert into transaction_hours (
        client_id, hour, operation, service_code, status, count, amount, fee)
      values (${clientOfNight}, '2026-03-09T23:00:00Z', 'CASHOUT', 'WALLETA_SN_CASHOUT',
        'SUCCESS', 2, 900, 18)`
    const now = new Date('2026-03-10T12:00:00Z')
    const daysIn = async (zoneName: string) =>
      (await readHome(db, { clientId: clientOfNight, zone: zoneName, now })).days
        .filter(({ amounts }) => amounts.CASHOUT > 0)
        .map(({ day }) => day)
    assert.deepEqual(await daysIn('Africa/Abidjan'), ['2026-03-09'])
    assert.deepEqual(await daysIn('Africa/Porto-Novo'), ['2026-03-10'])
    const compared = async (at: string) => {
      const figures = await readHome(db, { clientId: clientOfNight, zone, now: new Date(at) })
      return [figures.before.all.amount, figures.isComparable]
    }
    assert.deepEqual(await compared('2026-04-20T12:00:00Z'), [900, false], 'a part of a month')
    assert.deepEqual(await compared('2026-05-05T12:00:00Z'), [900, true])
    await owner`delete from transaction_hours where client_id = ${clientOfNight}`
  })
})

describe('verify', () => {
  it('finds an hour that is not the sum of its transactions', async () => {
    await summariseAll(db)
    const add = (count: number) => owner`
      update transaction_hours set count = count + ${count}
      where client_id = ${clientId} and operation = 'REFUND'`
    await add(1)
    const [found] = await findSummaryBreaks(db)
    assert.match(found?.what ?? '', /^sums up 2 of 1000 F, fees 0; there are 1 of 1000 F/)
    await add(-1)
    const move = (amount: number) => owner`
      update account_hours set amount = amount + ${amount}
      where client_id = ${clientId} and kind = 'fund'`
    await move(5)
    const wheres = (await findSummaryBreaks(db)).map(({ where }) => where.slice(0, 12))
    assert.deepEqual(wheres, ['account fund', 'account hour'])
    await move(-5)
    assert.deepEqual(await findSummaryBreaks(db), [])
  })
})

describe('search', () => {
  const named = async (text: string) =>
    (await searchTransactions(db, [clientId], text)).map(({ id }) => id).sort()
  const idsOf = (...names: string[]) => names.map((name) => ids[name] ?? '').sort()

  it('finds by every name there is', async () => {
    const paid = (await transactions.findById({ clientId, id: ids.paid ?? '' })) as Transaction
    const [link] = await db<{ id: string }>`
      select id from transactions where link_id = ${ids.link ?? null}`
    const scenarios: [string, string, string[]][] = [
      ['our id', ids.paid ?? '', idsOf('paid')],
      ['our id in capitals, with spaces', ` ${ids.paid?.toUpperCase()} `, idsOf('paid')],
      ['an attempt’s id', paid.attemptId, idsOf('paid')],
      ['an external id', 'spring-1', idsOf('paid')],
      ['the beginning of external ids', 'spring', idsOf('paid', 'refused')],
      ['the provider’s reference', paid.reference ?? '', idsOf('paid')],
      ['a number', '765550001', idsOf('payout')],
      ['a number as people write it', '+221 76 555 00 01', idsOf('payout')],
      ['a number with the code of the country', '00221765550001', idsOf('payout')],
      ['a link', ids.link ?? '', [link?.id ?? '']],
      ['a link’s external id', 'panier-7', [link?.id ?? '']],
    ]
    for (const [what, text, expected] of scenarios)
      assert.deepEqual(await named(text), expected, what)
  })

  it('finds nothing else', async () => {
    const foreign = await searchTransactions(db, [stranger.clientId], ids.paid ?? '')
    assert.deepEqual(foreign, [])
    for (const text of ['', ' ', 'spring-12', '%', "'", 'a\0b', '\ud800', 'x'.repeat(200)])
      assert.deepEqual(await named(text), [], text)
  })
})

describe('the list', () => {
  const all = { from: null, to: null, after: null, limit: 50 }
  const listed = async (filter: object) =>
    (await listPage(db, wholeClient(clientId), { ...anyTransaction, ...filter }, all)).transactions

  it('is narrowed by an index of numbers, wallets and open ones', async () => {
    const only = async (filter: object) => (await listed(filter)).map(({ id }) => id)
    assert.deepEqual(await only({ phone: '765550001' }), [ids.payout])
    assert.deepEqual(await only({ phone: '765550001', statuses: ['FAILED'] }), [])
    assert.deepEqual(await only({ provider: 'WALLETB' }), [ids.payout])
    assert.deepEqual(await only({ statuses: ['PROCESSING'] }), [ids.open])
  })

  it('is narrowed by several states and by amounts', async () => {
    const rows = await listed({})
    const only = async (filter: object) => (await listed(filter)).map(({ id }) => id)
    const idsOf = (wanted: (one: (typeof rows)[number]) => boolean) =>
      rows.filter(wanted).map(({ id }) => id)
    assert.deepEqual(
      await only({ statuses: ['SUCCESS', 'PROCESSING'] }),
      idsOf(({ status }) => status === 'SUCCESS' || status === 'PROCESSING'),
    )
    const [one] = rows.toSorted((a, b) => a.amount - b.amount)
    const amountMin = (one?.amount ?? 0) + 1
    assert.deepEqual(
      await only({ amountMin }),
      idsOf(({ amount }) => amount >= amountMin),
    )
    assert.deepEqual(
      await only({ amountMax: amountMin - 1 }),
      idsOf(({ amount }) => amount < amountMin),
    )
    const { phone = '' } = one ?? {}
    assert.deepEqual(
      await only({ phone, amountMin }),
      idsOf((row) => row.phone === phone && row.amount >= amountMin),
    )
  })

  it('has a sum, of as many rows as are looked at', async () => {
    const filters = [{}, { statuses: ['SUCCESS'] }, { phone: '765550001' }, { amountMin: 1000 }]
    for (const filter of filters) {
      const asked = { ...anyTransaction, ...filter } as typeof anyTransaction
      const viewer = wholeClient(clientId)
      const rows = await listed(filter)
      const done = rows.filter(({ status }) => status === 'SUCCESS')
      const range = { from: null, to: null }
      assert.deepEqual(await sumList(db, viewer, asked, range), {
        count: rows.length,
        succeeded: done.length,
        amount: done.reduce((sum, one) => sum + (isDebit(one) ? -1 : 1) * one.amount, 0),
        isWhole: true,
      })
      const part = await sumList(db, viewer, asked, range, 1)
      assert.ok(part.count <= 1 && part.isWhole === ('phone' in filter && rows.length <= 1))
    }
  })

  it('comes as a stream, the same rows in the same order', async () => {
    const streamed = await allOf(
      eachTransaction(db, wholeClient(clientId), anyTransaction, { from: null, to: null }),
    )
    assert.deepEqual(streamed, await listed({}))
    assert.equal(streamed.length, 7)
  })
})

describe('the account', () => {
  it('lists movements page by page, with the balance after each', async () => {
    const pages = []
    let after: number | null = null
    do {
      const page = await listMovements(db, clientId, { from: null, to: null, after, limit: 2 })
      pages.push(page.movements)
      after = page.next
    } while (after !== null)
    const movements = pages.flat()
    const { versions } = await readStatement(db, clientId, wide)
    assert.deepEqual(await allOf(eachMovement(db, versions)), movements.toReversed())
    const shown = movements.map(({ kind, operation, amount, fee }) => [
      kind,
      operation,
      amount,
      fee,
    ])
    assert.deepEqual(shown, [
      ['hold', 'CASHIN', -1530, -30],
      ['hold', 'REFUND', -1000, 0],
      ['release', 'CASHIN', 918, 18],
      ['hold', 'CASHIN', -918, -18],
      ['hold', 'CASHIN', -714, -14],
      ['collect', 'CASHOUT', 9800, -200],
      ['fund', null, 5_000_000, 0],
    ])
    assert.equal(movements[5]?.transactionId, ids.paid)
    for (const [index, { after: end, before: start, amount }] of movements.entries()) {
      assert.equal(end, start + amount)
      assert.equal(start, movements[index + 1]?.after ?? 0)
    }
  })

  it('has a statement that ties, whether or not it is summed up', async () => {
    const statement = await readStatement(db, clientId, wide)
    assert.equal(statement.opening, 0)
    assert.equal(statement.closing, (await home()).available)
    assert.equal(statement.fee, -200 - 14 - 30)
    const lines = statement.lines.map(({ category, amount, fee }) => [category, amount, fee])
    assert.deepEqual(lines, [
      ['collection', 10_000, -200],
      ['funding', 5_000_000, 0],
      ['payout', -700 - 1500, -44],
      ['refund', -1000, 0],
    ])
  })

  it('tells what is held, and for what', async () => {
    const { held } = await home()
    const holdings = await reports.holdings(clientId)
    assert.deepEqual(
      holdings.map(({ transactionId, amount }) => [transactionId, amount]),
      [[ids.open, held]],
    )
  })
})

describe('the detail of a transaction', () => {
  it('has states with their causes, attempts, money, refunds, event and deliveries', async () => {
    const read = async (name: string) => {
      const detail = await readDetail(db, { clientId, id: ids[name] ?? '' })
      assert.ok(detail !== undefined)
      return detail
    }
    await eventually('the webhook was tried', async () =>
      (await read('paid')).deliveries.some(({ at }) => at !== null),
    )
    const { steps, attempts, lines, refunds, event, deliveries, transaction } = await read('paid')
    assert.deepEqual([steps.at(-1)?.to, steps.at(-1)?.trigger], ['SUCCESS', 'provider_succeeded'])
    assert.equal(steps.at(-1)?.by?.outcome, 'succeeded')
    assert.deepEqual(
      attempts.map(({ id, number }) => [id, number]),
      [[transaction.attemptId, 1]],
    )
    assert.equal(attempts[0]?.evidence[0]?.source, 'answer')
    const own = lines.find(({ account }) => account === 'available')
    assert.deepEqual([own?.amount, own?.before, own?.after], [9800, 5_000_000, 5_009_800])
    assert.deepEqual(
      refunds.map(({ id, reason }) => [id, reason]),
      [[ids.refund, 'a dent']],
    )
    assert.equal(JSON.parse(event?.body ?? '{}').AMOUNT, 10_000)
    assert.equal(deliveries[0]?.url, 'http://127.0.0.1:9/hook')
    assert.notEqual(deliveries[0]?.problem, null)
    assert.equal((await read('refund')).original?.id, ids.paid)
    const told = timelineOf(await read('paid')).map(({ what }) => what)
    for (const part of [/^attempt 1 CASHOUT/, /→ SUCCESS/, /^money collect: /, /^webhook to /])
      assert.ok(
        told.some((what) => part.test(what)),
        String(part),
      )
  })

  it('is none of another merchant', async () => {
    const foreign = { clientId: stranger.clientId, id: ids.paid ?? '' }
    assert.equal(await readDetail(db, foreign), undefined)
  })
})

describe('what needs attention', () => {
  it('is nothing at first', async () => {
    const { clientId: own } = await gateway.newMerchant()
    const { deliveries, holdings, expiring, down } = await reports.attention(own)
    assert.deepEqual([deliveries, holdings, expiring, down], [noDeliveries, [], [], []])
  })

  it('is a delivery in vain, old held money, an ending key and a wallet that is down', async () => {
    const tomorrow = later(clock.now(), 25 * hourMs)
    await eventually('the webhook was tried', async () => {
      const { deliveries } = await reports.attention(clientId)
      return deliveries.retrying > 0
    })
    assert.deepEqual((await reports.attention(clientId)).holdings, [])
    await owner`
      update api_key_secrets set expires_at = ${later(clock.now(), 48 * hourMs)}
      where client_id = ${clientId}`
    const parts = {
      db,
      maintenance: async () => ({
        isClosed: false,
        closedServices: new Set(['WALLETB_SN_CASHOUT', 'WALLETB_SN_CASHIN']),
        closures: [{ scope: 'WALLETB_SN' }, { scope: 'CM_NOT_OURS' }],
      }),
      isAvailable: ({ code }: { code: string }) => code !== 'WALLETA_CI_CASHIN',
    }
    const { holdings, expiring, closures, down } = await readAttention(
      parts as unknown as Parameters<typeof readAttention>[0],
      clientId,
      tomorrow,
    )
    assert.deepEqual(
      holdings.map(({ transactionId }) => transactionId),
      [ids.open],
    )
    assert.deepEqual(
      expiring.map(({ what, label }) => [what, label]),
      [['api_key', 'test']],
    )
    assert.deepEqual(closures, [{ scope: 'WALLETB_SN' }])
    assert.deepEqual(down, ['WALLETA_CI_CASHIN'])
    await owner`update api_key_secrets set expires_at = null where client_id = ${clientId}`
  })

  it('is a delivery that was given up, until another try succeeds', async () => {
    const { clientId: own } = stranger
    const exhausted = async () => (await reports.attention(own)).deliveries.exhausted
    await owner`
      update deliveries set state = 'exhausted', ended_at = now(), due_at = null
      where client_id = ${own}`
    assert.equal(await exhausted(), 5)
    await owner`
      insert into deliveries (client_id, id, event_id, endpoint, url, state, created_at)
      select client_id, gen_random_uuid(), event_id, endpoint, url, 'delivered', now()
      from deliveries where client_id = ${own} limit 2`
    assert.equal(await exhausted(), 3)
  })

  it('and the money is where it belongs', async () => {
    await assertMoney(gateway)
  })
})

const noDeliveries = { exhausted: 0, retrying: 0 }
