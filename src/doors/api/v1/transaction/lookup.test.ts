import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { rotateKey } from '#merchants/clients/keys.ts'
import { payBody } from '#test/bills.ts'
import { linkBody, newLink } from '#test/links.ts'
import { type Answer, call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, clientId, newMerchant, newSecret } = gateway
const sibling = { url, secret: await db.transaction((tx) => newSecret(clientId, tx)) }
const stranger = { url, ...(await newMerchant()) }

type Caller = { url: string; secret: string }

async function init(change: object = {}, caller: Caller = gateway): Promise<Answer['body']> {
  const { status, text, body } = await call(
    caller,
    'POST /api/v1/transaction/init',
    initBody(change),
  )
  assert.equal(status, 201, text)
  return body.transaction
}

function look(id: string, caller: Caller = gateway, headers = {}): Promise<Answer> {
  return call(caller, `GET /api/v1/transaction/${encodeURIComponent(id)}`, undefined, headers)
}

async function idFound(id: string, caller: Caller = gateway): Promise<string | undefined> {
  return (await look(id, caller)).body.transaction?.transactionId
}

const changing = new Set([
  'date',
  'x-request-id',
  'content-length',
  'ratelimit-remaining',
  'ratelimit-reset',
])

/** An answer without the parts that differ with each request, to compare two. */
function comparable({ status, text, headers, body }: Answer) {
  const id = headers.get('x-request-id')
  assert.equal(body.requestId, id)
  const lasting = [...headers].filter(([name]) => !changing.has(name))
  return { status, text: text.replace(String(id), ''), lasting }
}

describe('a transaction is found', () => {
  it('with what the payer does while it waits, in case the first answer was lost', async () => {
    const number = '770000004'
    for (const serviceCode of ['WALLETA_SN_CASHOUT', 'WALLETB_SN_CASHOUT', 'WALLETD_SN_CASHOUT']) {
      const { transactionId, nextStep, cashout_url: page } = await init({ serviceCode, number })
      const { transaction } = (await look(transactionId)).body
      assert.deepEqual([transaction.nextStep, transaction.cashout_url ?? ''], [nextStep, page])
      assert.equal(page !== '', nextStep.type === 'redirect')
    }
    const { transaction } = (await look(await collected(gateway))).body
    assert.deepEqual([transaction.nextStep, transaction.cashout_url], [undefined, undefined])
  })

  it('by our id, in any case, and by the external id', async () => {
    const { transactionId: id, externalTransactionId } = await init({ number: '770000004' })
    const byId = await look(id)
    assert.equal(byId.status, 200)
    assert.equal(byId.body.transaction.transactionId, id)
    assert.equal((await look(externalTransactionId)).text, byId.text)
    assert.equal((await look(id.toUpperCase())).text, byId.text)
  })

  it('by external ids with characters that URLs reserve, or names of other paths', async () => {
    for (const externalTransactionId of [
      'a/b',
      'a//b/',
      'a?b=c',
      'a#b',
      '100%',
      '%41',
      'a b+c',
      'é😀',
      'confirm',
      'init',
      'refund',
      'walletd',
      'Merchant',
      '...',
      '"\'<>`;--',
      '*',
      ':transactionId',
      'constructor',
      '-1',
      'null',
    ]) {
      const { transactionId } = await init({ externalTransactionId })
      assert.equal(await idFound(externalTransactionId), transactionId, externalTransactionId)
    }
  })

  it('and whatever could not be is refused where it is made', async () => {
    const paid = await collected(gateway)
    const requests: [target: string, body: (id: string) => object][] = [
      ['transaction/init', (externalTransactionId) => initBody({ externalTransactionId })],
      [
        'transaction/merchant/get-link',
        (externalTransactionId) => linkBody({ externalTransactionId }),
      ],
      ['billing/pay', (externalTransactionId) => payBody({ externalTransactionId })],
      [
        `transaction/refund/${paid}`,
        (externalTransactionId) => ({ amount: 1, externalTransactionId }),
      ],
    ]
    for (const [path, body] of requests)
      for (const id of ['merchant', '.', '..']) {
        const answer = await call(gateway, `POST /api/v1/${path}`, body(id))
        assert.deepEqual(
          [answer.status, answer.body.message],
          [400, [`externalTransactionId must not be ${id}: it could not be looked up`]],
          path,
        )
      }
  })

  it('by external ids that look like our ids', async () => {
    const known = await init()
    const foreign = await init({}, stranger)
    const siblings = await init({}, sibling)
    for (const externalTransactionId of [
      randomUUID(),
      randomUUID().toUpperCase(),
      foreign.transactionId,
      siblings.transactionId,
    ]) {
      const { transactionId } = await init({ externalTransactionId })
      assert.equal(await idFound(externalTransactionId), transactionId)
    }
    // Our id takes precedence over an equal external id.
    await init({ externalTransactionId: known.transactionId })
    assert.equal(await idFound(known.transactionId), known.transactionId)
  })
})

describe('a transaction is not found', () => {
  it('with another key, and the answer is the same as for an unknown id', async () => {
    const { transactionId, externalTransactionId } = await init()
    const unknown = comparable(await look(randomUUID()))
    assert.equal(unknown.status, 404)
    for (const caller of [sibling, stranger])
      for (const id of [transactionId, transactionId.toUpperCase(), externalTransactionId])
        assert.deepEqual(comparable(await look(id, caller)), unknown)
    for (const id of ['x', 'order-0', '0', '../x', `${transactionId}x`, 'x'.repeat(128)])
      assert.deepEqual(comparable(await look(id)), unknown)
  })

  it('and the answer is in the language of the caller', async () => {
    const { body } = await look('x')
    assert.deepEqual([body.code, body.message], ['NOT_FOUND', ['No transaction found']])
    const french = await look('x', gateway, { 'Accept-Language': 'fr-SN' })
    assert.deepEqual(french.body.message, ['Aucune transaction trouvée'])
  })

  it('with another key, which a rotated secret is not', async () => {
    const caller = { url, ...(await newMerchant()) }
    const { transactionId } = await init({}, caller)
    const [key] = await db<{ id: string }>`
      select id from api_keys where client_id = ${caller.clientId}`
    const order = { id: key?.id ?? '', overlapMs: 0, actor: 'test' }
    const { secret } = await rotateKey({ db, clock, mode: 'sandbox' }, order)
    assert.equal(await idFound(transactionId, { url, secret }), transactionId)
  })
})

// S4: generated from the description, so that an address that is added must be listed here.
describe('a record of another client or key', async () => {
  const { transactionId: open } = await init({ number: '770000004' })
  const paid = await collected(gateway)
  const link = await newLink(gateway)
  const shop = { name: 'Shop', commercialName: 'Shop', countries: ['SN'] }
  const made = await call(gateway, 'POST /api/v1/sub-merchant', shop)
  const shopId = (made.body as unknown as { data: { subMerchantId: string } }).data.subMerchantId
  const [event] = await db<{ id: string }>`select id from events where client_id = ${clientId}`
  const confirmation = (id: string) => ({ transactionId: id, otp: '123456' })
  // The address, the id of a record, and the body; sub-merchants are seen by all keys of a client.
  const requests: [target: string, id: string, bodyOf?: (id: string) => object][] = [
    ['GET /api/v1/transaction/{transactionId}', open],
    ['POST /api/v1/transaction/confirm/walletd', open, confirmation],
    ['POST /api/v1/transaction/refund/{transactionId}', paid, () => ({ amount: 200 })],
    ['GET /api/v1/transaction/merchant/{transactionId}', link],
    ['GET /api/v1/merchant/{transactionId}', link],
    ['GET /api/v1/sub-merchant/{subMerchantId}', shopId],
    ['PATCH /api/v1/sub-merchant/{subMerchantId}', shopId, () => ({ name: 'Other' })],
    ['DELETE /api/v1/sub-merchant/{subMerchantId}', shopId],
    ['POST /api/v1/events/{id}/replay', `evt_${event?.id}`],
  ]
  const unknownLike = (id: string) =>
    id.startsWith('sm-') ? 'sm-000000000000' : id.replace(/[0-9a-f-]{36}/, randomUUID())

  it('is asked for at every address that has an id', async () => {
    const { paths } = (await call(gateway, 'GET /openapi.json')).body as {
      paths: Record<string, object>
    }
    const targets = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const listed = new Set(requests.map(([target]) => target))
    assert.deepEqual(
      targets.filter((target) => target.includes('{') && !listed.has(target)),
      [],
    )
  })

  for (const [target, id, bodyOf] of requests)
    it(`is answered like an unknown one: ${target}`, async () => {
      const ask = (caller: Caller, one: string) =>
        call(caller, target.replace(/\{\w+\}/, one), bodyOf?.(one))
      for (const caller of id === shopId ? [stranger] : [sibling, stranger]) {
        const foreign = await ask(caller, id)
        assert.equal(foreign.status, 404, foreign.text)
        assert.deepEqual(comparable(foreign), comparable(await ask(caller, unknownLike(id))))
      }
      assert.notEqual((await ask(gateway, id)).status, 404)
    })
})

describe('an invalid identifier in a lookup', () => {
  for (const path of [
    'x'.repeat(129),
    'x'.repeat(4000),
    encodeURIComponent('😀'.repeat(129)),
    'a%00b',
    'a%0Ab',
    '%0D%0A',
    '%1B',
    '%7F',
    '%C2%85',
  ])
    it(`${path.slice(0, 20)} (length ${path.length}) is refused with 400`, async () => {
      const { status, body } = await call(gateway, `GET /api/v1/transaction/${path}`)
      assert.equal(status, 400)
      assert.equal(body.code, 'VALIDATION_FAILED')
      assert.equal(body.message.length, 1)
      if (/^(a%0A|%)/.test(path)) assert.match(body.message[0], /without control characters/)
    })

  for (const path of ['%', '%zz', '%ff', '%ED%A0%80', 'x'.repeat(5000)])
    it(`${path.slice(0, 20)} (length ${path.length}) is answered with 400 or 404`, async () => {
      const { status } = await call(gateway, `GET /api/v1/transaction/${path}`)
      assert.ok(status === 400 || status === 404, `${status}`)
    })
})

describe('the lookup of a transaction', { concurrency: true }, () => {
  const failures: Record<string, object> = {
    '770000001': {
      code: 'PAYER_BALANCE_LOW',
      message: "The customer's balance is too low",
      retryable: true,
    },
    '770000002': {
      code: 'PAYER_REFUSED',
      message: 'The customer refused the payment',
      retryable: true,
    },
    '770000003': {
      code: 'PAYER_NO_ANSWER',
      message: 'The customer did not confirm in time',
      retryable: true,
    },
  }
  // service, number of the lab, expected status, service name
  const table: [string, string, string, string][] = [
    ['WALLETA_SN_CASHOUT', '771234567', 'SUCCESS', 'Wallet A Cash Out Senegal'],
    ['WALLETF_CM_CASHOUT', '770000001', 'FAILED', 'Wallet F Cash Out Cameroon'],
    ['WALLETB_SN_CASHOUT', '770000002', 'CANCELLED', 'Wallet B Cash Out Senegal'],
    ['WALLETA_SN_CASHOUT', '770000003', 'CANCELLED', 'Wallet A Cash Out Senegal'],
    ['WALLETA_SN_CASHOUT', '770000004', 'PENDING', 'Wallet A Cash Out Senegal'],
    ['WALLETD_SN_CASHIN', '770000004', 'PROCESSING', 'Wallet D Cash In Senegal'],
    ['WALLETD_SN_CASHIN', '771234567', 'SUCCESS', 'Wallet D Cash In Senegal'],
    ['OPERATOR2_SN_AIRTIME', '771234567', 'SUCCESS', 'Operator 2 Airtime Senegal'],
  ]
  for (const [serviceCode, number, status, name] of table)
    it(`answers with every field for a ${serviceCode} that is ${status}`, async () => {
      const sent = await init({ serviceCode, number })
      await until(gateway, sent.transactionId, (now) => now === status)
      const { body } = await look(sent.transactionId)
      const { OperatorApi, Completed_at } = body.transaction
      assert.deepEqual(body, {
        message: 'Transaction fetched successfully',
        transaction: {
          ServiceName: name,
          ServiceCode: serviceCode,
          OperatorApi,
          Type: serviceCode.split('_')[2],
          Amount: 5000,
          Number: number,
          Status: status,
          Initiated_at: sent.INITIATED_AT,
          Completed_at,
          Fee: number in failures ? 0 : sent.transactionFee,
          transactionId: sent.transactionId,
          externalTransactionId: sent.externalTransactionId,
          ...(number in failures ? { failure: failures[number] } : {}),
          ...(status === 'PENDING' ? { nextStep: sent.nextStep } : {}),
        },
      })
      assert.match(OperatorApi, /^[\w:.-]{8,}$/)
      if (!isEnd(status)) assert.equal(Completed_at, null)
      else assert.equal(new Date(Completed_at).toISOString(), Completed_at)
      if (isEnd(status)) assert.ok(Completed_at >= sent.INITIATED_AT)
    })

  it('tells why it failed in the language of the caller', async () => {
    const { transactionId } = await init({ number: '770000001' })
    await until(gateway, transactionId, isEnd)
    const { body } = await look(transactionId, gateway, { 'Accept-Language': 'fr' })
    assert.equal(body.transaction.failure.message, 'Le solde du client ne suffit pas')
  })

  it('answers for a refund with its own amount and no fee', async () => {
    const originalId = await collected(gateway)
    const target = `POST /api/v1/transaction/refund/${originalId}`
    const { body } = await call(gateway, target, { amount: 700, externalTransactionId: 'back' })
    const found = await look('back')
    assert.equal(found.body.transaction.transactionId, body.refund.refundId)
    const { Type, Amount, Fee, ServiceCode } = found.body.transaction
    assert.deepEqual([Type, Amount, Fee, ServiceCode], ['REFUND', 700, 0, 'WALLETA_SN_CASHOUT'])
  })
})

it('the ledger holds after these transactions', () => assertMoney(gateway))
