import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { listLinkPage } from '#money/links/list.ts'
import { listPage } from '#money/transactions/list.ts'
import { newLink, paymentsOf } from '#test/links.ts'
import { type Answer, call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, clientId, links, newMerchant, newSecret } = gateway
const sibling = { url, secret: await db.transaction((tx) => newSecret(clientId, tx)) }
const stranger = { url, ...(await newMerchant()) }
const seller = { url, ...(await newMerchant()) }

type Caller = { url: string; secret: string }

async function init(change: object, caller: Caller = gateway): Promise<string> {
  const { status, text, body } = await call(
    caller,
    'POST /api/v1/transaction/init',
    initBody(change),
  )
  assert.equal(status, 201, text)
  return body.transaction.transactionId
}

async function list(query = '', caller: Caller = gateway): Promise<Answer['body']> {
  const { status, text, body } = await call(caller, `GET /api/v1/transaction${query}`)
  assert.equal(status, 200, text)
  return body
}

async function idsOf(query: string, caller: Caller = gateway): Promise<string[]> {
  return (await list(query, caller)).transactions.map((one: Answer['body']) => one.transactionId)
}

async function listLinks(query = '', caller: Caller = seller): Promise<Answer['body']> {
  const { status, text, body } = await call(caller, `GET /api/v1/transaction/merchant${query}`)
  assert.equal(status, 200, text)
  return body
}

describe('the list of transactions', async () => {
  const shop = { name: 'Plateau', commercialName: 'Chez Awa', countries: ['SN'] }
  const { body: made } = await call(gateway, 'POST /api/v1/sub-merchant', shop)
  const sub_merchant_id = made.data.subMerchantId
  const paid = await collected(gateway, { externalTransactionId: 'spring-1', sub_merchant_id })
  const refused = await init({ externalTransactionId: 'spring-2', number: '770000002' })
  const payout = await init({ serviceCode: 'WALLETB_SN_CASHIN', amount: 700 })
  await until(gateway, refused, isEnd)
  await until(gateway, payout, isEnd)
  const refundPath = `POST /api/v1/transaction/refund/${paid}`
  const order = { amount: 1000, externalTransactionId: 'back-1' }
  const refund = (await call(gateway, refundPath, order)).body.refund.refundId
  await until(gateway, refund, isEnd)
  await init({ number: '779999999' }, stranger)
  const siblings = await init({ number: '779999998' }, sibling)
  const all = [refund, payout, refused, paid]

  it('has what the key has created, newest first, as the lookup shows it', async () => {
    const { message, success, transactions, next } = await list()
    assert.deepEqual(
      { message, success, next },
      {
        message: 'Transactions fetched successfully',
        success: true,
        next: null,
      },
    )
    assert.deepEqual(
      transactions.map((one: Answer['body']) => one.transactionId),
      all,
    )
    for (const one of transactions) {
      const { body } = await call(gateway, `GET /api/v1/transaction/${one.transactionId}`)
      assert.deepEqual(one, body.transaction)
    }
  })

  it('has everything of the client for a key of that scope', async () => {
    const { secret } = await db.transaction((tx) =>
      issueKey(
        tx,
        { clock, mode: 'sandbox' },
        { clientId, label: 'all', scope: 'client', actor: 'test' },
      ),
    )
    const ids = await idsOf('', { url, secret })
    assert.deepEqual(ids, [siblings, ...all])
  })

  it('continues after any page, whatever its size', async () => {
    for (const limit of [1, 2, 3, 4]) {
      const seen: string[] = []
      let query = `?limit=${limit}`
      for (
        let next = '';
        query !== '';
        query = next === null ? '' : `?limit=${limit}&after=${next}`
      ) {
        const page = await list(query)
        next = page.next
        assert.ok(page.transactions.length <= limit)
        seen.push(...page.transactions.map((one: Answer['body']) => one.transactionId))
      }
      assert.deepEqual(seen, all)
    }
  })

  it('is narrowed by each filter', async () => {
    const { createdAt } = await rowOf(refused)
    const rows: [query: string, expected: string[]][] = [
      ['status=SUCCESS', [refund, payout, paid]],
      ['status=SUCCESS&type=CASHOUT', [paid]],
      ['type=REFUND', [refund]],
      ['service=WALLETB_SN_CASHIN', [payout]],
      ['number=770000002', [refused]],
      ['number=779999999', []],
      ['externalTransactionIdPrefix=spring-', [refused, paid]],
      ['externalTransactionIdPrefix=%25', []],
      ['sub_merchant_id=sm_none', []],
      [`from=${createdAt.toISOString()}`, [refund, payout, refused]],
      [`to=${createdAt.toISOString()}`, [paid]],
      [`from=${createdAt.toISOString().slice(0, 10)}&to=2999-12-31`, all],
      [`to=${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}`, all],
      ['to=2020-01-01', []],
      ['from=0001-01-01&to=9999-12-31', all],
      ['colour=blue', all],
    ]
    for (const [query, expected] of rows)
      assert.deepEqual(await idsOf(`?${query}`), expected, query)
  })

  it('of refunds alone is narrowed by every other filter, and has those of the key', async () => {
    const { createdAt } = await rowOf(refund)
    const at = createdAt.toISOString()
    const rows: [query: string, isFound: boolean][] = [
      ['', true],
      ['&status=SUCCESS', true],
      ['&status=FAILED', false],
      ['&service=WALLETA_SN_CASHOUT', true],
      ['&service=WALLETB_SN_CASHIN', false],
      ['&number=771234567', true],
      ['&number=770000002', false],
      ['&externalTransactionIdPrefix=back', true],
      ['&externalTransactionIdPrefix=spring', false],
      [`&sub_merchant_id=${sub_merchant_id}`, true],
      ['&sub_merchant_id=sm-none', false],
      [`&from=${at}`, true],
      [`&to=${at}`, false],
      [`&limit=1&after=${refund}`, false],
    ]
    for (const [query, isFound] of rows)
      assert.deepEqual(await idsOf(`?type=REFUND${query}`), isFound ? [refund] : [], query)
    for (const other of [sibling, stranger])
      assert.deepEqual(await idsOf('?type=REFUND', other), [])
    const [listed] = (await list('?type=REFUND')).transactions
    assert.deepEqual([listed.Type, listed.originalTransactionId], ['REFUND', paid])
  })

  it('refuses what it cannot read, and names all of it', async () => {
    const wrong =
      'limit=101&after=x&from=2026-02-30&to=soon&number=12&status=DONE&type=GIFT&service=WALLETZ'
    const { status, body } = await call(gateway, `GET /api/v1/transaction?${wrong}`)
    assert.equal(status, 400)
    assert.deepEqual(body.message.toSorted(), [
      'after must be the next of an earlier page',
      'from must be a day or a time, as 2026-11-16 or 2026-11-16T08:30:00Z',
      'limit must be a whole number from 1 to 100',
      'number must be exactly 9 digits, without country code',
      'service is not an existing service',
      'status must be one of PENDING, PROCESSING, SUCCESS, FAILED, CANCELLED',
      'to must be a day or a time, as 2026-11-16 or 2026-11-16T08:30:00Z',
      'type must be one of CASHOUT, CASHIN, AIRTIME, BILL, REFUND, PAYMENT',
    ])
    const twice = await call(gateway, 'GET /api/v1/transaction?from=2026-01-01&from=2026-01-02')
    assert.equal(twice.status, 400)
  })

  it('looks at a bounded number of rows for a page, and continues where it stopped', async () => {
    const filter = { ...anything, operation: 'CASHOUT' } as const
    const seen: string[] = []
    let pages = 0
    for (let after: string | null = null; ; pages += 1) {
      const range = { from: null, to: null, after, limit: 10 }
      const page = await listPage(db, wholeClient(clientId), filter, range, 2)
      seen.push(...page.transactions.map(({ id }) => id))
      after = page.next
      if (after === null) break
    }
    assert.equal(pages, 2)
    assert.deepEqual(
      seen.filter((id) => all.includes(id)),
      [refused, paid],
    )
  })

  it('tells of a refund its original, and of the original what was sent back', async () => {
    const [first, , , last] = (await list()).transactions
    assert.equal(first.originalTransactionId, paid)
    assert.equal(last.refundedAmount, 1000)
    assert.equal(last.originalTransactionId, undefined)
  })
})

describe('payments through links, in the list of transactions', async () => {
  const trader = { url, ...(await newMerchant()) }
  const pay = (id: string, phone: string) =>
    links.checkout.pay(id, { serviceCode: 'WALLETA_SN_CASHOUT', phone })
  const collection = await collected({ ...gateway, ...trader }, { externalTransactionId: 'shop-1' })
  const paid = await newLink(trader, { externalTransactionId: 'basket-1' })
  const given = await newLink(trader, { externalTransactionId: 'basket-2' })
  const open = await newLink(trader, { externalTransactionId: 'basket-3' })
  const state = async (id: string) => (await links.checkout.look(id))?.state.kind
  for (const id of [given, paid]) {
    await pay(id, '770000001')
    await eventually('the try fails', async () => (await state(id)) === 'choose')
  }
  await pay(paid, '771234567')
  await eventually('it is paid', async () => (await state(paid)) === 'paid')
  await pay(open, '770000004')
  const order = { amount: 1000, externalTransactionId: 'basket-back' }
  const refundPath = `POST /api/v1/transaction/refund/basket-1`
  const refund = (await call(trader, refundPath, order)).body.refund.refundId
  await until(trader, refund, isEnd)

  it('have the link that they paid, once, and no other try', async () => {
    const { transactions } = await list('', trader)
    const shown = transactions.map((one: Answer['body']) => [
      one.Type,
      one.transactionId,
      one.externalTransactionId,
      one.refundedAmount ?? 0,
      one.originalTransactionId ?? '',
    ])
    assert.deepEqual(shown, [
      ['REFUND', refund, 'basket-back', 0, paid],
      ['PAYMENT', paid, 'basket-1', 1000, ''],
      ['CASHOUT', collection, 'shop-1', 0, ''],
    ])
    for (const one of transactions) {
      const { body } = await call(trader, `GET /api/v1/transaction/${one.transactionId}`)
      assert.deepEqual(one, body.transaction)
    }
    const times = transactions.map((one: Answer['body']) => one.Initiated_at)
    assert.deepEqual(times, times.toSorted().toReversed())
  })

  it('are narrowed by each filter, and paged', async () => {
    const [, payment] = (await list('', trader)).transactions
    const rows: [query: string, expected: string[]][] = [
      ['type=PAYMENT', [paid]],
      ['type=CASHOUT', [collection]],
      ['type=REFUND', [refund]],
      ['status=SUCCESS', [refund, paid, collection]],
      ['status=FAILED', []],
      ['status=PENDING', []],
      ['externalTransactionIdPrefix=basket-', [refund, paid]],
      ['number=771234567', [refund, paid, collection]],
      ['number=771234567&type=PAYMENT&externalTransactionIdPrefix=basket-1', [paid]],
      ['number=770000001', []],
      ['number=770000004', []],
      [`from=${payment.Initiated_at}`, [refund, paid]],
      [`to=${payment.Initiated_at}`, [collection]],
    ]
    for (const [query, expected] of rows)
      assert.deepEqual(await idsOf(`?${query}`, trader), expected, query)
    const { transactions, next } = await list('?limit=2', trader)
    assert.equal(transactions.length, 2)
    assert.deepEqual(await idsOf(`?limit=2&after=${next}`, trader), [collection])
  })

  it('are the link to whoever still has the id of a try', async () => {
    for (const id of [paid, given, open])
      for (const one of await paymentsOf(db, id)) {
        const { body } = await call(trader, `GET /api/v1/transaction/${one.id}`)
        assert.deepEqual([body.transaction.Type, body.transaction.transactionId], ['PAYMENT', id])
        assert.equal((await call(stranger, `GET /api/v1/transaction/${one.id}`)).status, 404)
      }
    const [, tried] = await paymentsOf(db, paid)
    const answer = await call(trader, `POST /api/v1/transaction/refund/${tried?.id}`, { amount: 1 })
    assert.equal(answer.body.refund.originalTransactionId, paid)
    await until(trader, answer.body.refund.refundId, isEnd)
  })
})

describe('the list of payment links', async () => {
  const ids: string[] = []
  for (const [name, ClientPhone] of [
    ['autumn-1', '760000000'],
    ['autumn-2', '00221 76 000 00 00'],
    ['winter-1', '+221 76-000-00-00'],
  ])
    ids.unshift(await newLink(seller, { externalTransactionId: name, ClientPhone }))
  await newLink(stranger)
  await newLink(gateway)
  const [newest = '', middle = '', oldest = ''] = ids
  await links.checkout.pay(middle, { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' })
  const isPaid = async () => (await listLinks(`?status=SUCCESS`)).links.length === 1
  await eventually('it is paid', isPaid)

  it('has what the key has created, newest first, as the lookup shows it', async () => {
    const { message, success, links: found, next } = await listLinks()
    assert.deepEqual(
      { message, success, next },
      {
        message: 'Payment links fetched successfully',
        success: true,
        next: null,
      },
    )
    assert.deepEqual(
      found.map((one: Answer['body']) => one.transactionId),
      ids,
    )
    for (const one of found) {
      const target = `GET /api/v1/transaction/merchant/${one.transactionId}`
      assert.deepEqual(one, (await call(seller, target)).body.transaction)
    }
  })

  it('continues after any page and is narrowed by each filter', async () => {
    const rows: [query: string, expected: string[]][] = [
      ['limit=2', [newest, middle]],
      [`limit=2&after=${middle}`, [oldest]],
      [`after=${oldest}`, []],
      ['status=PENDING', [newest, oldest]],
      ['status=SUCCESS', [middle]],
      ['externalTransactionIdPrefix=autumn', [middle, oldest]],
      ['number=771234567', [middle]],
      ['number=760000000', ids],
      ['number=760000001', []],
      ['to=2020-01-01', []],
      ['from=2020-01-01', ids],
      ['from=0001-01-01&to=9999-12-31', ids],
      ['sub_merchant_id=none', []],
    ]
    for (const [query, expected] of rows) {
      const { links: found } = await listLinks(`?${query}`)
      assert.deepEqual(
        found.map((one: Answer['body']) => one.transactionId),
        expected,
        query,
      )
    }
    const range = { from: null, to: null, after: null, limit: 10 }
    const page = await listLinkPage(
      db,
      wholeClient(seller.clientId),
      { ...anything, status: null, phone: '771234567' },
      range,
      1,
    )
    assert.equal(page?.links.length, 0)
    assert.ok(page?.next)
  })

  it("refuses a cursor that is not one of the client's links", async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    const { status, body } = await call(seller, `GET /api/v1/transaction/merchant?after=${unknown}`)
    assert.equal(status, 400)
    assert.deepEqual(body.message, ['after must be the next of an earlier page'])
  })

  it('and the money of all is where it belongs', () => assertMoney(gateway))
})

const anything = {
  statuses: null,
  operation: null,
  serviceCode: null,
  phone: null,
  subMerchantId: null,
  externalIdPrefix: null,
}

async function rowOf(id: string): Promise<{ createdAt: Date }> {
  const [row] = await db<{ createdAt: Date }>`
    select created_at as "createdAt" from transactions where id = ${id}`
  assert.ok(row)
  return row
}
