import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey, revokeKey } from '#merchants/clients/keys.ts'
import { getLink, linkBody, linkOf, newLink, untilQuiet, untilSeen } from '#test/links.ts'
import { type Answer, call, collected, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, clientId, connect, links, newMerchant, newSecret } = gateway
const owner = connect({ asOwner: true })
const sibling = { url, secret: await db.transaction((tx) => newSecret(clientId, tx)) }
const stranger = { url, ...(await newMerchant()) }

type Caller = { url: string; secret: string }

const merchant = '/api/v1/transaction/merchant'
const places = [merchant, '/api/v1/merchant', '/merchant', '/v1/transaction/merchant']

function look(id: string, caller: Caller = gateway, place = merchant): Promise<Answer> {
  return call(caller, `GET ${place}/${encodeURIComponent(id)}`)
}

function lookUp(id: string, caller: Caller = gateway): Promise<Answer> {
  return look(id, caller, '/api/v1/transaction')
}

async function pay(id: string, serviceCode = 'WALLETA_SN_CASHOUT', phone = '771234567') {
  assert.deepEqual(await links.checkout.pay(id, { serviceCode, phone }), { kind: 'started' })
}

describe('a link is found', () => {
  it('at every path, by our id in any case and by the external id', async () => {
    const sent = linkBody({ ClientPhone: '77 000 00 00', externalTransactionId: 'a/b?c#é 😀' })
    const id = await newLink(gateway, sent)
    const { createdAt } = await linkOf(db, id)
    const wanted = {
      message: 'Transaction fetched successfully',
      success: true,
      transaction: {
        Merchant: (await linkOf(db, id)).payeeName,
        ItemName: 'Panier de légumes',
        Amount: 7500,
        Number: '770000000',
        Status: 'PENDING',
        Initiated_at: createdAt.toISOString(),
        Completed_at: null,
        SuccessUrl: 'http://127.0.0.1:9/ok',
        transactionId: id,
        externalTransactionId: 'a/b?c#é 😀',
        PaymentUrl: `${url}/pay/process/${id}`,
      },
    }
    for (const place of places)
      for (const name of [id, id.toUpperCase(), 'a/b?c#é 😀']) {
        const { status, body } = await look(name, gateway, place)
        assert.deepEqual([status, body], [200, wanted], `${place} ${name}`)
      }
  })

  it('as a transaction, before and after it is paid', async () => {
    const id = await newLink(gateway, { ItemPrice: 1234 })
    const before = await lookUp(id)
    assert.equal(before.status, 200, before.text)
    const { externalId, createdAt } = await linkOf(db, id)
    const wanted = {
      ServiceName: 'Payment link',
      ServiceCode: '',
      OperatorApi: '',
      Type: 'PAYMENT',
      Amount: 1234,
      Number: '',
      Status: 'PENDING',
      Initiated_at: createdAt.toISOString(),
      Completed_at: null,
      Fee: 0,
      transactionId: id,
      externalTransactionId: externalId,
    }
    assert.deepEqual(before.body.transaction, wanted)
    await pay(id)
    const { state } = await untilSeen(gateway, id, 'paid')
    const { paidAt, providerReference } = state.receipt
    const [payment] = await db<{ begunAt: Date }>`
      select created_at as "begunAt" from transactions where link_id = ${id}`
    for (const name of [id, id.toUpperCase(), externalId])
      assert.deepEqual((await lookUp(name)).body.transaction, {
        ...wanted,
        ServiceName: 'Wallet A Cash Out Senegal',
        ServiceCode: 'WALLETA_SN_CASHOUT',
        OperatorApi: providerReference,
        Number: '771234567',
        Status: 'SUCCESS',
        // As in the list of transactions, which is in the order of payments.
        Initiated_at: payment?.begunAt.toISOString(),
        Completed_at: paidAt.toISOString(),
        Fee: 25,
      })
    const { body } = await look(id)
    const { Status, Number: number, Completed_at } = body.transaction
    assert.deepEqual([Status, number, Completed_at], ['SUCCESS', '771234567', paidAt.toISOString()])
  })

  it('by our id, also when the external id of another record is equal to it', async () => {
    const id = await newLink(gateway)
    const sent = initBody({ externalTransactionId: id })
    const { body } = await call(gateway, 'POST /api/v1/transaction/init', sent)
    const { transactionId } = body.transaction
    assert.equal((await lookUp(id)).body.transaction.Type, 'PAYMENT')
    assert.equal((await lookUp(transactionId)).body.transaction.Type, 'CASHOUT')
    // The same holds for a link whose external id equals the id of a transaction.
    const named = await newLink(gateway, { externalTransactionId: transactionId })
    assert.equal((await lookUp(transactionId)).body.transaction.Type, 'CASHOUT')
    assert.equal((await look(transactionId)).body.transaction.transactionId, named)
    // The id of another merchant's link does not take precedence.
    const foreign = await newLink(stranger)
    const own = await newLink(gateway, { externalTransactionId: foreign })
    for (const answer of [await lookUp(foreign), await look(foreign)])
      assert.equal(answer.body.transaction.transactionId, own)
  })

  it('by a key that may only read, if that key created it', async () => {
    const order = { clientId, label: 'reader', ratePerMinute: 100_000, actor: 'test' }
    const key = await db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, order))
    const reader = { url, secret: key.secret }
    const id = await newLink(reader)
    await owner`update api_keys set rights = '{read}' where id = ${key.id}`
    for (let waitedMs = 0; ; waitedMs += 100) {
      const { status, body } = await call(reader, getLink, linkBody())
      if (status === 403) assert.equal(body.code, 'RIGHT_MISSING')
      if (status === 403 || waitedMs > 3000) break
    }
    for (const answer of [await look(id, reader), await lookUp(id, reader)])
      assert.equal(answer.body.transaction.transactionId, id)
    assert.equal((await look(await newLink(gateway), reader)).status, 404)
  })
})

describe('a link is not found', async () => {
  const id = await newLink(gateway)
  const { externalId } = await linkOf(db, id)
  const comparable = ({ status, text, headers }: Answer) => ({
    status,
    text: text.replace(headers.get('x-request-id') ?? '', ''),
  })

  it('with another key, and the answer is the same as for an unknown id', async () => {
    for (const place of [...places, '/api/v1/transaction']) {
      const unknown = comparable(await look(randomUUID(), gateway, place))
      assert.equal(unknown.status, 404)
      assert.match(unknown.text, /"No transaction found"/)
      for (const caller of [sibling, stranger])
        for (const name of [id, id.toUpperCase(), externalId])
          assert.deepEqual(comparable(await look(name, caller, place)), unknown)
    }
  })

  it('when the id is that of a transaction', async () => {
    const transaction = await collected(gateway)
    for (const place of places) assert.equal((await look(transaction, gateway, place)).status, 404)
  })

  for (const path of [
    'a%00b',
    'a%0Ab',
    '%7F',
    'x'.repeat(129),
    encodeURIComponent('😀'.repeat(129)),
  ])
    it(`with an invalid identifier: ${path.slice(0, 20)}`, async () => {
      for (const place of [...places, '/api/v1/transaction']) {
        const { status, body } = await call(gateway, `GET ${place}/${path}`)
        assert.deepEqual([status, body.code], [400, 'VALIDATION_FAILED'])
      }
      const refund = await call(gateway, `POST /api/v1/transaction/refund/${path}`, {})
      assert.ok([400, 404].includes(refund.status), refund.text)
    })
})

describe('every endpoint for a link (S4)', async () => {
  const id = await newLink(gateway)
  const order = { clientId, label: 'gone', ratePerMinute: 100_000, actor: 'test' }
  const key = await db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, order))
  await revokeKey({ db, clock }, { id: key.id, actor: 'test' })
  const endpoints: [target: string, body?: object][] = [
    [getLink, linkBody()],
    ...places.map((place): [string] => [`GET ${place}/${id}`]),
    [`GET /api/v1/transaction/${id}`],
    [`POST /api/v1/transaction/refund/${id}`, {}],
  ]
  for (const [target, body] of endpoints) {
    it(`${target.replace(id, '{id}')} gives 401 without a valid key`, async () => {
      for (const authorization of ['', 'Bearer sk_sandbox_nobody', `Bearer ${key.secret}`]) {
        const answer = await call({ url, secret: '' }, target, body, { authorization })
        assert.equal(answer.status, 401, answer.text)
        assert.ok(!answer.text.includes(id))
      }
    })
    if (target === getLink) continue
    it(`${target.replace(id, '{id}')} gives other keys the 404 of an unknown id`, async () => {
      const missing = await call(gateway, target.replace(id, randomUUID()), body)
      for (const caller of [sibling, stranger]) {
        const answer = await call(caller, target, body)
        assert.equal(answer.status, 404)
        assert.deepEqual({ ...answer.body, requestId: '' }, { ...missing.body, requestId: '' })
      }
    })
  }
})

describe('an external id', async () => {
  const paid = await collected(gateway, { amount: 1_000_000 })
  // The requests that use an external id.
  const uses: Record<string, (externalTransactionId: string, caller?: Caller) => Promise<Answer>> =
    {
      init: (externalTransactionId, caller = gateway) =>
        call(caller, 'POST /api/v1/transaction/init', initBody({ externalTransactionId })),
      link: (externalTransactionId, caller = gateway) =>
        call(caller, getLink, linkBody({ externalTransactionId })),
      bill: (externalTransactionId, caller = gateway) =>
        call(caller, 'POST /api/v1/billing/pay', {
          serviceCode: 'PREPAID_SN_BILL',
          reference_client: '200000001',
          amount: 1000,
          externalTransactionId,
        }),
      refund: (externalTransactionId, caller = gateway) =>
        call(caller, `POST /api/v1/transaction/refund/${paid}`, {
          amount: 1,
          externalTransactionId,
        }),
    }
  const idOf = ({ body }: Answer) => body.transaction?.transactionId

  for (const [first, use] of Object.entries(uses))
    for (const [second, useAgain] of Object.entries(uses))
      it(`of a ${first} is refused for a ${second}, with the record that has it`, async () => {
        const name = `${first}-${second}`
        const created = await use(name)
        assert.equal(created.status, 201, created.text)
        const { status, body } = await useAgain(name)
        assert.deepEqual(
          [status, body.code, body.success, body.message],
          [409, 'DUPLICATE_TRANSACTION', false, ['externalTransactionId already used']],
        )
        assert.equal(body.transaction.transactionId, idOf(created))
        assert.equal(idOf(await lookUp(name)), idOf(created))
      })

  it('of a link is refused with the link as it was first answered', async () => {
    const body = linkBody()
    const { transaction } = (await call(gateway, getLink, body)).body
    const again = await call(gateway, getLink, { ...body, ItemPrice: 100 })
    assert.deepEqual(again.body.transaction, transaction)
    const french = await call(gateway, getLink, body, { 'Accept-Language': 'fr' })
    assert.deepEqual(french.body.message, ['externalTransactionId déjà utilisé'])
  })

  it('shows no record of another key but says so, and is free for other clients', async () => {
    const id = (await uses.link?.('shared'))?.body.transactionId
    const used = await uses.link?.('shared', sibling)
    assert.deepEqual([used?.status, used?.body.transaction], [409, undefined])
    const elsewhere = 'Another key of your account created the record'
    assert.deepEqual(used?.body.message, ['externalTransactionId already used', elsewhere])
    assert.ok(!used?.text.includes(id))
    assert.equal((await uses.link?.('shared', stranger))?.status, 201)
  })

  it('is shown to a key of scope client, for which 404 proves that there is none', async () => {
    const id = (await uses.link?.('wide'))?.body.transactionId
    const { secret } = await db.transaction((tx) =>
      issueKey(
        tx,
        { clock, mode: 'sandbox' },
        { clientId: gateway.clientId, label: 'all', scope: 'client', actor: 'test' },
      ),
    )
    const wide = { url: gateway.url, secret }
    assert.equal((await uses.link?.('wide', wide))?.body.transaction.transactionId, id)
    const statusOf = async (who: typeof wide, which: string) =>
      (await call(who, `GET /api/v1/transaction/${which}`)).status
    assert.deepEqual(
      [await statusOf(wide, 'wide'), await statusOf(sibling, 'wide'), await statusOf(wide, 'none')],
      [200, 404, 404],
    )
  })

  it('is checked after the other faults of a body', async () => {
    const body = linkBody()
    assert.equal((await call(gateway, getLink, body)).status, 201)
    assert.equal((await call(gateway, getLink, { ...body, ItemPrice: 99 })).status, 400)
  })
})

it('the ledger holds after these links', async () => {
  // Waits for the last refunds.
  await untilQuiet(db)
  await assertMoney(gateway)
})
