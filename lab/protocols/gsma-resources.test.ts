import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { object } from '../fields.ts'
import type { Body } from '../router.ts'
import type { Reply } from '../test-lab.ts'
import { newKey, openTestLab, until } from '../test-lab.ts'

const lab = await openTestLab()
const at = '/gsma/WALLETC/SN'
const shop = [{ key: 'organisationid', value: 'shop' }]
const customer = (number: string) => [{ key: 'msisdn', value: `+221${number}` }]
const listed = ({ text, headers }: Reply) => ({
  items: JSON.parse(text) as Body[],
  counts: [headers['x-records-available-count'], headers['x-records-returned-count']],
})
const errorOf = ({ status, body }: Reply) => `${status} ${String(body.errorCode)}`

async function ended(reference: unknown): Promise<Body> {
  const { body } = await until(
    () => lab.send(`GET ${at}/transactions/${String(reference)}`),
    ({ body }) => body.transactionStatus !== 'pending',
  )
  return body
}

/** Pays or is paid by a number; returns the transaction. */
async function transact(type: string, number: string, amount: string): Promise<Body> {
  const isPayout = ['disbursement', 'adjustment', 'deposit'].includes(type)
  const [debitParty, creditParty] = isPayout ? [shop, customer(number)] : [customer(number), shop]
  const order = { amount, currency: 'XOF', debitParty, creditParty }
  const { status, body } = await lab.send(`POST ${at}/transactions/type/${type}`, order)
  assert.equal(status, 202)
  return ended(body.objectReference)
}

describe('gsma transactions', { concurrency: true }, () => {
  for (const [type, operation] of [
    ['billpay', 'collect'],
    ['transfer', 'collect'],
    ['inttransfer', 'collect'],
    ['withdrawal', 'collect'],
    ['adjustment', 'disburse'],
    ['deposit', 'disburse'],
  ] as const)
    it(`of type ${type} are orders to ${operation}`, async () => {
      const paid = await transact(type, '781000001', '200')
      assert.deepEqual([paid.type, paid.transactionStatus], [type, 'completed'])
      const { body } = await lab.send('GET /lab/books')
      const orders = body.orders as Body[]
      const order = orders.find(({ reference }) => reference === paid.transactionReference)
      assert.equal(order?.operation, operation)
    })

  it('may name their type in the body, and their parties by other identifiers', async () => {
    const key = newKey()
    const party = { debitParty: [{ key: 'walletid', value: '1' }], creditParty: shop }
    const order = { type: 'merchantpay', amount: '16.00', currency: 'XOF', ...party }
    const taken = await lab.send(`POST ${at}/transactions`, order, { 'x-correlationid': key })
    const { type, debitParty } = await ended(taken.body.objectReference)
    assert.deepEqual([type, debitParty], ['merchantpay', party.debitParty])
    assert.equal((await lab.booked(key))[0]?.operation, 'collect')
    const without = await lab.send(`POST ${at}/transactions`, { ...order, type: undefined })
    assert.equal(errorOf(without), '400 formatError')
  })
})

describe('gsma accounts', () => {
  it('have a balance that payments change', async () => {
    const balanceOf = async (account: string) => {
      const { status, body } = await lab.send(`GET ${at}/accounts/${account}balance`)
      assert.deepEqual([status, body.accountStatus, body.currency], [200, 'available', 'XOF'])
      return Number(body.currentBalance)
    }
    const phone = 'msisdn/%2B221782000001/'
    const [before, ours] = [await balanceOf(phone), await balanceOf('organisationid/shop/')]
    const own = await balanceOf('')
    await transact('merchantpay', '782000001', '700')
    await transact('disbursement', '782000001', '200')
    assert.equal(await balanceOf(phone), before - 500)
    assert.equal(await balanceOf('msisdn/782000001/'), before - 500)
    assert.equal(await balanceOf('msisdn@221782000001$walletid@9/'), before - 500)
    assert.equal(await balanceOf('organisationid/shop/'), ours + 500)
    assert.equal(await balanceOf(''), own + 500)
    assert.equal(await balanceOf('msisdn/770000001/'), 0)
    assert.equal(
      errorOf(await lab.send(`GET ${at}/accounts/msisdn/x/balance`)),
      '404 identifierError',
    )
  })

  it('have a name, a status and transactions, in parts with the counts in headers', async () => {
    const account = `${at}/accounts/msisdn/221783000001`
    for (const amount of ['300', '400', '500']) await transact('merchantpay', '783000001', amount)
    const list = async (query: string) => {
      const { items, counts } = listed(await lab.send(`GET ${account}/transactions${query}`))
      return [items.map(({ amount }) => amount).join(' '), ...counts].join(' · ')
    }
    assert.equal(await list(''), '500 400 300 · 3 · 3')
    assert.equal(await list('?limit=2'), '500 400 · 3 · 2')
    assert.equal(await list('?offset=2&limit=20'), '300 · 3 · 1')
    assert.equal(await list('?offset=9'), ' · 3 · 0')
    assert.equal(await list('?transactionStatus=failed'), ' · 0 · 0')
    assert.equal(
      await list('?transactionType=merchantpay&fromDateTime=2000-01-01'),
      '500 400 300 · 3 · 3',
    )
    for (const query of ['?limit=x', '?offset=-1'])
      assert.equal(
        errorOf(await lab.send(`GET ${account}/transactions${query}`)),
        '400 formatError',
      )
    assert.equal((await lab.send(`GET ${account}/status`)).body.accountStatus, 'available')
    const { name } = (await lab.send(`GET ${account}/accountname`)).body
    assert.match(String(object(name).fullName), /^Awa /)
  })
})

describe('gsma batches', () => {
  const transaction = (number: string, change: Body = {}) => ({
    type: 'disbursement',
    amount: '250',
    currency: 'XOF',
    debitParty: shop,
    creditParty: customer(number),
    ...change,
  })
  const approval = [{ op: 'replace', path: '/batchStatus', value: 'approved' }]

  it('run when they are approved: some transactions complete, others are rejected', async () => {
    const key = newKey()
    const transactions = [
      transaction('784000001'),
      transaction('770000001'),
      transaction('784000002', { currency: 'EUR' }),
    ]
    const headers = { 'x-correlationid': key, 'x-callback-url': lab.inbox(key) }
    const create = () =>
      lab.send(`POST ${at}/batchtransactions`, { transactions, batchTitle: 'June' }, headers)
    const { status, body } = await create()
    assert.deepEqual([status, body.status, body.notificationMethod], [202, 'pending', 'callback'])
    assert.equal(errorOf(await create()), '400 duplicateRequest')
    const state = `GET ${at}/requeststates/${String(body.serverCorrelationId)}`
    await until(
      () => lab.send(state),
      ({ body }) => body.status === 'completed',
    )
    const link = `/batchtransactions/${String(body.objectReference)}`
    assert.deepEqual((await lab.send(`GET ${at}/responses/${key}`)).body, { link })
    const created = (await lab.send(`GET ${at}${link}`)).body
    assert.deepEqual(
      [
        created.batchStatus,
        created.batchTitle,
        created.parsingSuccessCount,
        created.rejectionCount,
      ],
      ['created', 'June', 2, 1],
    )
    const [callback] = await until(
      () => lab.received(key),
      ({ length }) => length > 0,
    )
    assert.deepEqual([callback?.method, callback?.body.batchId], ['PUT', body.objectReference])

    assert.equal(errorOf(await lab.send(`PATCH ${at}${link}`, [])), '400 formatError')
    assert.equal((await lab.send(`PATCH ${at}${link}`, approval)).status, 202)
    assert.equal(errorOf(await lab.send(`PATCH ${at}${link}`, approval)), '400 incorrectState')
    const done = await until(
      () => lab.send(`GET ${at}${link}`),
      ({ body }) => body.batchStatus === 'completed',
    )
    assert.deepEqual([done.body.completedCount, done.body.rejectionCount], [1, 2])
    const completions = listed(await lab.send(`GET ${at}${link}/completions`))
    assert.deepEqual(completions.counts, ['1', '1'])
    const [completion] = completions.items
    assert.deepEqual(completion?.creditParty, customer('784000001'))
    const paid = await lab.send(`GET ${at}${String(completion?.link)}`)
    assert.equal(paid.body.transactionStatus, 'completed')
    const rejections = listed(await lab.send(`GET ${at}${link}/rejections`))
    assert.deepEqual(
      rejections.items.map(({ rejectionReason }) => rejectionReason),
      ['It is not valid', 'The account has not enough funds'],
    )
  })

  it('need transactions, and are not found at another provider', async () => {
    for (const body of [{}, { transactions: [] }, { transactions: 'x' }])
      assert.equal(errorOf(await lab.send(`POST ${at}/batchtransactions`, body)), '400 formatError')
    const transactions = [transaction('784000001')]
    const { body } = await lab.send(`POST ${at}/batchtransactions`, { transactions })
    const path = `batchtransactions/${String(body.objectReference)}`
    assert.equal((await lab.send(`GET ${at}/${path}`)).status, 200)
    assert.equal(errorOf(await lab.send(`GET /gsma/WALLETA/SN/${path}`)), '404 identifierError')
  })
})

describe('gsma authorisation codes', () => {
  it('are created for an account, read and listed', async () => {
    const path = `${at}/accounts/walletid/1/authorisationcodes`
    const order = { amount: '1000.00', currency: 'XOF' }
    const { status, body } = await lab.send(`POST ${path}`, order)
    assert.deepEqual([status, body.status, body.notificationMethod], [202, 'pending', 'polling'])
    const code = await lab.send(`GET ${path}/${String(body.objectReference)}`)
    const { authorisationCode, codeState, amount } = code.body
    assert.deepEqual(
      [authorisationCode, codeState, amount],
      [body.objectReference, 'active', '1000.00'],
    )
    assert.deepEqual(listed(await lab.send(`GET ${path}`)).counts, ['1', '1'])
    assert.equal(errorOf(await lab.send(`POST ${path}`, { amount: 'x' })), '400 formatError')
    assert.equal(errorOf(await lab.send(`GET ${path}/0`)), '404 identifierError')
  })
})

describe('gsma payments of a bill', () => {
  it('are listed; one that a script holds up is accepted first, and called back', async () => {
    const steps = [{ do: 'answer' }, { do: 'soon' }, { do: 'succeed' }, { do: 'callback' }]
    await lab.send('POST /lab/scenario', { reference: '100000001', steps })
    const account = '/gsma/ELEC/SN/accounts/accountid/100000001'
    const bills = listed(await lab.send(`GET ${account}/bills?limit=5`))
    assert.deepEqual(bills.counts, ['1', '1'])
    const [bill] = bills.items
    const path = `${account}/bills/${String(bill?.billReference)}/payments`
    assert.deepEqual(listed(await lab.send(`GET ${path}`)).counts, ['0', '0'])
    const key = newKey()
    const payment = { amountPaid: bill?.amountDue, currency: 'XOF' }
    const taken = await lab.send(`POST ${path}`, payment, { 'x-callback-url': lab.inbox(key) })
    assert.deepEqual([taken.status, taken.body.notificationMethod], [202, 'callback'])
    const [callback] = await until(
      () => lab.received(key),
      ({ length }) => length > 0,
    )
    assert.equal(callback?.body.billPaymentStatus, 'completed')
    const { items, counts } = listed(await lab.send(`GET ${path}`))
    const [first] = items
    assert.deepEqual(counts, ['1', '1'])
    assert.deepEqual([first?.billPaymentStatus, first?.amountPaid], ['completed', bill?.amountDue])
    assert.equal((await lab.send(`GET ${account}/bills/none/payments`)).status, 404)
  })
})
