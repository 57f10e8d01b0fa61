import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Body } from '../router.ts'
import { newKey, openTestLab, requestToken, until } from '../test-lab.ts'

const lab = await openTestLab()
const at = '/request-to-pay/WALLETF/CI'
const token = await requestToken(lab, `${at}/collection/token/`)
const payment = {
  amount: '200',
  currency: 'XOF',
  externalId: 'ours',
  payer: { partyIdType: 'MSISDN', partyId: '2250771234567' },
}

const order = (key: string, change: Body = {}, headers: Record<string, string> = {}) =>
  lab.send(
    `POST ${at}/collection/v1_0/requesttopay`,
    { ...payment, ...change },
    { ...token, 'x-reference-id': key, ...headers },
  )
const read = (key: string) =>
  lab.send(`GET ${at}/collection/v1_0/requesttopay/${key}`, undefined, token)

describe('request-to-pay', { concurrency: true }, () => {
  it('issues tokens only for credentials, and refuses orders without a valid token', async () => {
    const user = { authorization: 'Basic dTpr' }
    const key = { 'ocp-apim-subscription-key': 'k' }
    for (const half of [user, key, {}])
      assert.equal((await lab.send(`POST ${at}/disbursement/token/`, undefined, half)).status, 401)
    const { body } = await lab.send(`POST ${at}/disbursement/token/`, undefined, {
      ...user,
      ...key,
    })
    assert.deepEqual([body.token_type, body.expires_in], ['access_token', 3600])
    for (const authorization of ['', 'Bearer x', 'Bearer lab.top-up.9999999999999'])
      assert.equal((await order(newKey(), {}, { authorization })).status, 401)
  })

  it('answers an order with an empty 202, and a query by its UUID with the result', async () => {
    const key = newKey()
    const taken = await order(key, {}, { 'x-callback-url': lab.inbox(key) })
    assert.deepEqual([taken.status, taken.text], [202, ''])
    const repeated = await order(key)
    assert.deepEqual([repeated.status, repeated.body.code], [409, 'RESOURCE_ALREADY_EXIST'])
    const { body } = await until(
      () => read(key),
      ({ body }) => body.status === 'SUCCESSFUL',
    )
    const { financialTransactionId, ...rest } = body
    assert.match(String(financialTransactionId), /^\d+$/)
    assert.deepEqual(rest, { ...payment, status: 'SUCCESSFUL' })
    const [callback] = await until(
      () => lab.received(key),
      ({ length }) => length > 0,
    )
    assert.deepEqual(callback?.body, body)
  })

  it('sends callbacks by POST and by PUT', async () => {
    const keys = Array.from({ length: 20 }, newKey)
    for (const key of keys) await order(key, {}, { 'x-callback-url': lab.inbox(key) })
    const methods = () => keys.flatMap((key) => lab.received(key).map(({ method }) => method))
    await until(methods, ({ length }) => length === keys.length)
    assert.deepEqual([...new Set(methods())].sort(), ['POST', 'PUT'])
  })

  for (const [number, reason] of [
    ['770000001', 'NOT_ENOUGH_FUNDS'],
    ['770000002', 'APPROVAL_REJECTED'],
    ['770000003', 'EXPIRED'],
    ['770000013', 'PAYEE_NOT_ALLOWED_TO_RECEIVE'],
  ] as const)
    it(`${number} fails with ${reason}`, async () => {
      const key = newKey()
      await order(key, { payer: { partyIdType: 'MSISDN', partyId: `2250${number}` } })
      const { body } = await until(
        () => read(key),
        ({ body }) => body.status === 'FAILED',
      )
      assert.equal(body.reason, reason)
    })

  it('refuses invalid requests and unknown references', async () => {
    for (const [change, status, code] of [
      [{ amount: 200 }, 400, 'INVALID_AMOUNT'],
      [{ payerMessage: 'Awa & fils' }, 400, 'INVALID_MESSAGE'],
      [{ payeeNote: '' }, 400, 'INVALID_MESSAGE'],
      [{ payer: { partyIdType: 'EMAIL', partyId: 'a@b' } }, 400, 'INVALID_PARTY'],
      [{ payer: null }, 400, 'INVALID_PARTY'],
      [{ currency: 'XAF' }, 500, 'INVALID_CURRENCY'],
    ] as [Body, number, string][]) {
      const answer = await order(newKey(), change)
      assert.deepEqual([answer.status, answer.body.code], [status, code])
    }
    assert.equal((await order('not-a-uuid')).status, 400)
    assert.equal((await read(newKey())).body.code, 'RESOURCE_NOT_FOUND')
  })

  it('a collection is not found as a transfer', async () => {
    const key = newKey()
    await order(key)
    const path = `${at}/disbursement/v1_0/transfer/${key}`
    assert.equal((await lab.send(`GET ${path}`, undefined, token)).status, 404)
  })
})

describe('the balance of request-to-pay', () => {
  // A provider of its own: its balance is that of these orders alone.
  const own = '/request-to-pay/WALLETX/CI'
  const get = (path: string, headers = token) => lab.send(`GET ${own}/${path}`, undefined, headers)

  it('follows collections and transfers', async () => {
    const balance = async () => {
      const { status, body } = await get('disbursement/v1_0/account/balance')
      assert.deepEqual([status, body.currency], [200, 'XOF'])
      return Number(body.availableBalance)
    }
    const before = await balance()
    const send = async (path: string, party: string, amount: string) => {
      const id = newKey()
      const sent = { amount, currency: 'XOF', externalId: '1' }
      const who = { [party]: { partyIdType: 'MSISDN', partyId: '2250771234567' } }
      const headers = { ...token, 'x-reference-id': id }
      await lab.send(`POST ${own}/${path}`, { ...sent, ...who }, headers)
      await until(
        () => get(`${path}/${id}`),
        ({ body }) => body.status === 'SUCCESSFUL',
      )
    }
    await send('collection/v1_0/requesttopay', 'payer', '700')
    await send('disbursement/v1_0/transfer', 'payee', '200')
    assert.equal(await balance(), before + 500)
    assert.equal((await get('disbursement/v1_0/account/balance', {})).status, 401)
  })
})

describe("the lab's documentation", () => {
  it('has the reasons that the lab gives', async () => {
    const guide = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const columnOf = (row: string) =>
      new RegExp(`^\\| ${row} \\|[^|]*\\| \`(\\w+)\` \\|`, 'm').exec(guide)?.[1]
    for (const [row, reason] of [
      ['no funds', 'insufficient_funds'],
      ['refused', 'refused'],
      ['expired', 'expired'],
      ['receiver refused', 'payee_refused'],
      ['failed', 'failed'],
    ] as const) {
      const [key, number] = [newKey(), '785000001']
      await lab.send('POST /lab/scenario', { number, steps: [{ do: 'decline', reason }] })
      await order(key, { payer: { partyIdType: 'MSISDN', partyId: `2250${number}` } })
      const { body } = await lab.send(
        `GET ${at}/collection/v1_0/requesttopay/${key}`,
        undefined,
        token,
      )
      assert.deepEqual([body.status, body.reason], ['FAILED', columnOf(row)], row)
    }
  })
})
