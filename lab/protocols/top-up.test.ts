import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { object, text } from '../fields.ts'
import type { Body } from '../router.ts'
import { newKey, openTestLab, type Reply, requestToken, until } from '../test-lab.ts'

const lab = await openTestLab()
const at = '/top-up/PREPAID/SN'
const client = {
  client_id: 'a',
  client_secret: 'b',
  grant_type: 'client_credentials',
  audience: 'x',
}
const token = await requestToken(lab, `${at}/oauth/token`, client)

const pay = (account: string, referenceId = newKey(), change: Body = {}) => {
  const order = { billerId: 1, subscriberAccountNumber: account, amount: 1000, referenceId }
  return lab.send(`POST ${at}/pay`, { ...order, ...change }, token)
}
const find = async (referenceId: string) => {
  const { body } = await lab.send(
    `GET ${at}/transactions?referenceId=${referenceId}`,
    undefined,
    token,
  )
  const [first] = body.content as Body[]
  return first ?? {}
}
const codesOf = (payment: Body) =>
  text(object(object(payment.billDetails).pinDetails).token).match(/\d{4}(-\d{4}){4}/g)

describe('top-up', { concurrency: true }, () => {
  it('issues tokens only for credentials', async () => {
    assert.equal(
      (await lab.send(`POST ${at}/oauth/token`, { ...client, client_id: '' })).status,
      401,
    )
    assert.equal(
      (await lab.send(`POST ${at}/oauth/token`, { ...client, grant_type: 'x' })).status,
      400,
    )
    assert.equal((await lab.send(`GET ${at}/billers`)).status, 401)
    const { body } = await lab.send(`GET ${at}/billers`, undefined, token)
    assert.equal((body.content as Body[])[0]?.serviceType, 'PREPAID')
  })

  it('accepts an identifier once, and returns the result of its order', async () => {
    const order = {
      operatorId: 1,
      amount: 500,
      customIdentifier: newKey(),
      recipientPhone: { countryCode: 'SN', number: '771234567' },
    }
    const send = () => lab.send(`POST /top-up/OPERATOR1/SN/topups-async`, order, token)
    const taken = await send()
    assert.equal((await send()).body.errorCode, 'CUSTOM_IDENTIFIER_ALREADY_USED')
    const path = `/top-up/OPERATOR1/SN/topups/${String(taken.body.transactionId)}/status`
    const read = () => lab.send(`GET ${path}`, undefined, token)
    const { body } = await until(read, ({ body }) => body.status === 'SUCCESSFUL')
    const { customIdentifier, requestedAmount, requestedAmountCurrencyCode } = object(
      body.transaction,
    )
    assert.deepEqual(
      [customIdentifier, requestedAmount, requestedAmountCurrencyCode],
      [order.customIdentifier, 500, 'XOF'],
    )
  })

  // account, HTTP status, first status, last status, number of codes
  for (const [account, status, first, last, codes] of [
    ['200000001', 200, 'SUCCESSFUL', 'SUCCESSFUL', 1],
    ['000200000001', 200, 'SUCCESSFUL', 'SUCCESSFUL', 1],
    ['200000002', 200, 'PROCESSING', 'SUCCESSFUL', 1],
    ['200000003', 200, 'PROCESSING', 'FAILED', 0],
    ['200000005', 400, undefined, 'FAILED', 0],
    ['200000006', 0, undefined, 'SUCCESSFUL', 1],
    ['200000007', 200, 'SUCCESSFUL', 'SUCCESSFUL', 3],
  ] as const)
    it(`tops up ${account}: ${last}, ${codes} codes`, async () => {
      const key = newKey()
      const answer = await pay(account, key)
      assert.deepEqual([answer.status, answer.body.status], [status, first])
      if (first === 'SUCCESSFUL') assert.equal(codesOf(answer.body)?.length, codes)
      const payment = await until(
        () => find(key),
        ({ status }) => status === last,
      )
      assert.equal(payment.status, last)
      assert.equal(codesOf(payment)?.length ?? 0, codes)
      const { body } = await lab.send(
        `GET ${at}/transactions/${String(payment.id)}`,
        undefined,
        token,
      )
      assert.deepEqual(body.transaction, payment)
      assert.equal((await pay(account, key)).body.errorCode, 'REFERENCE_ID_ALREADY_USED')
      const account12 = object(object(payment.billDetails).subscriberDetails).accountNumber
      assert.equal(account12, account.padStart(12, '0'))
    })

  it('finds its subscribers, and no others', async () => {
    const read = (account: string) =>
      lab.send(`GET ${at}/billers/1/subscribers/${account}`, undefined, token)
    const { body } = await read('200000001')
    assert.deepEqual([body.accountNumber, body.status], ['000200000001', 'ACTIVE'])
    const codes = ({ status, body }: Reply) => [status, body.errorCode]
    assert.deepEqual(codes(await read('200000004')), [404, 'SUBSCRIBER_NOT_FOUND'])
    assert.deepEqual(codes(await pay('200000004')), [404, 'SUBSCRIBER_NOT_FOUND'])
    assert.deepEqual(codes(await pay('200000001', newKey(), { amount: 1.5 })), [
      400,
      'INVALID_AMOUNT',
    ])
    assert.equal((await find('unknown')).id, undefined)
  })
})
