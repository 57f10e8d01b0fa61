import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import { pay, payBody, postingsOf, topUpBody } from '#test/bills.ts'
import { balance, call, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, newMerchant, url } = gateway
const merchant = async () => ({ url, ...(await newMerchant()) })
type Caller = Awaited<ReturnType<typeof merchant>>
const funds = 5_000_000

/** The only event of a merchant, from its feed. */
async function eventOf(caller: Caller) {
  const { body } = await call(caller, 'GET /api/v1/events')
  assert.equal(body.events.length, 1)
  return body.events[0]
}

/** Tops up a meter and waits for the end; returns the first answer and the webhook. */
async function topUp(customer: string) {
  const caller = await merchant()
  const receiver = await openReceiver()
  const body = topUpBody({ reference_client: customer, callBackURL: receiver.url })
  const { transaction } = (await pay(caller, body)).body
  const end = await until(caller, transaction.transactionId, isEnd)
  const [got] = await receiver.has(1)
  return { caller, receiver, transaction, end, got, event: JSON.parse(got?.body ?? '{}') }
}

describe('the event of a bill payment', { concurrency: true }, () => {
  it('has all fields in order, with the balances of its debit', async () => {
    const caller = await merchant()
    const receiver = await openReceiver()
    const body = payBody({ reference_client: '000100000001', callBackURL: receiver.url })
    const { transaction } = (await pay(caller, body)).body
    const [got] = await receiver.has(1)
    const event = JSON.parse(got?.body ?? '{}')
    const { amount, transactionFee: fee, transactionId } = transaction
    const expected = {
      id: transactionId,
      externalTransactionId: body.externalTransactionId,
      transactionType: 'BILL',
      AMOUNT: amount,
      FEE: fee,
      PHONE_NUMBER: '000100000001',
      STATUS: 'SUCCESS',
      CUSTOM_DATA: '{}',
      COMPLETED_AT: event.COMPLETED_AT,
      BALANCE: funds - amount - fee,
      PREVIOUS_BALANCE: funds,
      CURRENT_BALANCE: funds - amount - fee,
      FAILURE_CODE: '',
      FAILURE_MESSAGE: '',
    }
    assert.deepEqual(event, expected)
    assert.deepEqual(Object.keys(event), Object.keys(expected))
    assert.equal(new Date(event.COMPLETED_AT).toISOString(), event.COMPLETED_AT)
  })

  it('has the code of a delayed top-up, the same in webhook, feed, stream and lookup', async () => {
    const { caller, receiver, transaction, end, got, event } = await topUp('200000002')
    assert.deepEqual([transaction.Status, transaction.token, end], ['PROCESSING', null, 'SUCCESS'])
    const { id, event: fed } = await eventOf(caller)
    assert.deepEqual(fed, event)
    assert.match(event.TOKEN, /^\d{4}(-\d{4}){4}$/)
    const detail = await call(caller, `GET /api/v1/transaction/${transaction.transactionId}`)
    const { token, Type, Number: number, Status } = detail.body.transaction
    assert.deepEqual([token, Type, number], [event.TOKEN, 'BILL', '200000002'])
    assert.equal(Status, 'SUCCESS')
    // Sent again, and streamed: the same bytes.
    assert.equal((await call(caller, `POST /api/v1/events/${id}/replay`)).status, 200)
    const [, again] = await receiver.has(2)
    assert.equal(again?.body, got?.body)
    assert.deepEqual((await firstStreamed(caller)).event, event)
    assert.deepEqual(await postingsOf(gateway, event.id), ['hold', 'capture'])
  })

  it('of a failed top-up has the balance that nothing has changed, and no code', async () => {
    const { caller, transaction, end, event } = await topUp('200000003')
    const held = funds - 5100
    assert.deepEqual([transaction.Status, transaction.currentBalance], ['PROCESSING', held])
    const { STATUS, TOKEN, PREVIOUS_BALANCE, CURRENT_BALANCE, BALANCE } = event
    assert.deepEqual(
      [end, STATUS, TOKEN, PREVIOUS_BALANCE, CURRENT_BALANCE, BALANCE],
      ['FAILED', 'FAILED', '', funds, funds, funds],
    )
    assert.equal(await balance(caller), funds)
    assert.deepEqual(await postingsOf(gateway, event.id), ['hold', 'release'])
    const detail = await call(caller, `GET /api/v1/transaction/${event.id}`)
    assert.equal('token' in detail.body.transaction, false)
  })

  it('of a failed top-up is sent after its money was released', async () => {
    const caller = await merchant()
    const seen: number[] = []
    const receiver = await openReceiver(async (_got, response) => {
      seen.push(await balance(caller))
      response.end()
    })
    const callBackURL = receiver.url
    await pay(caller, topUpBody({ reference_client: '200000003', callBackURL }))
    await receiver.has(1)
    await eventually('the balance', () => seen.length === 1)
    assert.deepEqual(seen, [funds])
  })

  it('comes once an outcome that was lost is known', async () => {
    const caller = await merchant()
    const answer = await pay(caller, payBody({ reference_client: '100000006' }))
    const text = 'The payment is being processed: its outcome follows by webhook and lookup'
    assert.deepEqual([answer.status, answer.body.message], [201, text])
    assert.equal(answer.body.transaction.Status, 'PROCESSING')
    assert.equal('token' in answer.body.transaction, false)
    await until(caller, answer.body.transaction.transactionId, isEnd)
    const { event } = await eventOf(caller)
    assert.deepEqual([event.STATUS, 'TOKEN' in event], ['SUCCESS', false])
  })
})

/** The first event that the stream delivers to a new client. */
async function firstStreamed({ url: base, secret }: Caller) {
  const headers = { authorization: `Bearer ${secret}`, accept: 'text/event-stream' }
  const answer = await fetch(`${base}/api/v1/events/stream?after=0`, { headers })
  const reader = answer.body?.getReader()
  for (let text = ''; ; ) {
    const { value } = (await reader?.read()) ?? {}
    text += Buffer.from(value ?? []).toString()
    const [, data] = /data: (.*)\n\n/.exec(text) ?? []
    if (data === undefined) continue
    await reader?.cancel()
    return JSON.parse(data)
  }
}

describe('the webhook address of a bill payment', () => {
  it('is that of the request, else of the account, else there is only the feed', async () => {
    const caller = await merchant()
    const { clientId } = caller
    const [own, fallback] = [await openReceiver(), await openReceiver()]
    const body = () => payBody({ reference_client: '100000002' })
    await pay(caller, body())
    const change = { callbackUrl: `${fallback.url}/all?x=1` }
    await changeClient({ db, clock }, { id: clientId, change, actor: 'test' })
    await pay(caller, body())
    await pay(caller, { ...body(), callBackURL: own.url })
    const { body: feed } = await call(caller, 'GET /api/v1/events')
    const ids = feed.events.map(({ event }: { event: { id: string } }) => event.id)
    assert.equal(ids.length, 3)
    await Promise.all([own.has(1), fallback.has(1)])
    assert.deepEqual(
      [...fallback.got, ...own.got].map((got) => JSON.parse(got.body).id),
      [ids[1], ids[2]],
    )
    assert.equal(fallback.got[0]?.path, '/all?x=1')
  })
})

describe('customData is returned unchanged in the event', () => {
  const texts = [
    '{"order":12,"note":"deux"}',
    'not JSON at all',
    `"quotes" 'and' \\ back/slashes \u2028 é 漢字 🎉 \t\r\n`,
    '</script><script>alert(1)</script>',
    '"TOKEN":"1234-5678-9012-3456-7890"',
    'x'.repeat(10_000),
    '🎉'.repeat(5000),
  ]
  for (const customData of texts)
    it(`${customData.length} characters: ${customData.slice(0, 30)}`, async () => {
      const caller = await merchant()
      const receiver = await openReceiver()
      const sent = { customData, callBackURL: receiver.url }
      const answer = await pay(caller, topUpBody(sent))
      assert.equal(answer.status, 201, answer.text)
      const [got] = await receiver.has(1)
      const event = JSON.parse(got?.body ?? '{}')
      assert.equal(event.CUSTOM_DATA, customData)
      assert.equal(event.TOKEN, answer.body.transaction.token)
    })
})

describe('a top-up that is paid, but has no code yet', { concurrency: true }, () => {
  it('is queried until its code is there', async () => {
    const caller = await merchant()
    const { proxy } = gateway
    const isQuery = (request: string) => /GET .*PREPAID.*\/transactions/.test(request)
    let asked = 0
    // The first two queries find it paid, but without its code.
    proxy.answerInstead = (request) => {
      if (!isQuery(request) || asked >= 2) return undefined
      asked += 1
      const paid = { id: 77, status: 'SUCCESSFUL', amount: 5000, amountCurrencyCode: 'XOF' }
      const body = request.includes('referenceId') ? { content: [paid] } : { transaction: paid }
      return [200, JSON.stringify(body)]
    }
    await script(gateway, '200000001', [{ do: 'lose_answer' }, { do: 'succeed' }])
    const { transaction } = (await pay(caller, topUpBody())).body
    assert.equal(transaction.Status, 'PROCESSING')
    await eventually('two queries', () => asked === 2)
    assert.equal(await balance(caller), funds - 5100)
    const [row] = await db<{ status: string; reference: string }>`
      select status, reference from transactions where id = ${transaction.transactionId}`
    assert.deepEqual(row, { status: 'PROCESSING', reference: '77' })
    // The lab knows no reference 77: it is found again by our own id.
    await gateway.connect({ asOwner: true })`
      update transactions set version = version + 1, reference = null, due_at = now()
      where id = ${transaction.transactionId}`
    assert.equal(await until(caller, transaction.transactionId, isEnd), 'SUCCESS')
    const { event } = await eventOf(caller)
    assert.match(event.TOKEN, /^\d{4}(-\d{4}){4}$/)
  })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
