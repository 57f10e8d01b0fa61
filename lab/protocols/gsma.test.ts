import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { object } from '../fields.ts'
import type { Body } from '../router.ts'
import { newKey, openTestLab, type Reply, until } from '../test-lab.ts'

const lab = await openTestLab()
const at = '/gsma/WALLETA/SN'
const customer = [{ key: 'msisdn', value: '+221771234567' }]
const payment = { amount: '200', currency: 'XOF', debitParty: customer }

const pay = (change: Body = {}, headers: Record<string, string> = {}) =>
  lab.send(`POST ${at}/transactions/type/merchantpay`, { ...payment, ...change }, headers)

async function paid(key = newKey()): Promise<string> {
  const { body } = await pay({}, { 'x-correlationid': key })
  const reference = String(body.objectReference)
  await until(
    () => lab.send(`GET ${at}/transactions/${reference}`),
    ({ body }) => body.transactionStatus === 'completed',
  )
  return reference
}

const errorOf = ({ status, body }: Reply) =>
  `${status} ${String(body.errorCategory)}/${String(body.errorCode)}`

describe('gsma', { concurrency: true }, () => {
  it('accepts a payment, and returns its request state and its transaction', async () => {
    const key = newKey()
    const reference = { requestingOrganisationTransactionReference: 'ours-1' }
    const taken = await pay(reference, { 'x-correlationid': key, 'x-callback-url': lab.inbox(key) })
    assert.equal(taken.status, 202)
    assert.equal(taken.body.status, 'pending')
    assert.equal(taken.body.notificationMethod, 'callback')
    assert.match(
      String(taken.body.serverCorrelationId),
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    )

    const state = await until(
      () => lab.send(`GET ${at}/requeststates/${String(taken.body.serverCorrelationId)}`),
      ({ body }) => body.status === 'completed',
    )
    assert.equal(state.body.objectReference, taken.body.objectReference)
    const link = await lab.send(`GET ${at}/responses/${key}`)
    assert.deepEqual(link.body, { link: `/transactions/${String(taken.body.objectReference)}` })
    const { body } = await lab.send(`GET ${at}${link.body.link}`)
    const { amount, currency, type, transactionStatus, debitParty } = body
    assert.deepEqual(
      [amount, currency, type, transactionStatus],
      ['200', 'XOF', 'merchantpay', 'completed'],
    )
    assert.deepEqual(debitParty, customer)
    assert.equal(body.requestingOrganisationTransactionReference, 'ours-1')

    const [callback] = await until(
      () => lab.received(key),
      ({ length }) => length > 0,
    )
    assert.equal(callback?.method, 'PUT')
    assert.equal(callback?.body.transactionReference, body.transactionReference)
  })

  for (const [number, code, cause] of [
    ['770000001', 'insufficientFunds', undefined],
    ['770000002', 'requestDeclined', 'payerRejected'],
    ['770000003', 'requestDeclined', 'promptExpired'],
    ['770000013', 'genericError', undefined],
  ] as const)
    it(`the state and the callback of ${number} contain the error ${code}`, async () => {
      const key = newKey()
      const party = { debitParty: [{ key: 'msisdn', value: `+221${number}` }] }
      const { body } = await pay(party, { 'x-callback-url': lab.inbox(key) })
      const state = await until(
        () => lab.send(`GET ${at}/requeststates/${String(body.serverCorrelationId)}`),
        ({ body }) => body.status === 'failed',
      )
      const error = object(state.body.error)
      const [parameter] = (error.errorParameters ?? []) as Body[]
      assert.deepEqual([error.errorCategory, error.errorCode], ['businessRule', code])
      assert.equal(parameter?.value, cause)
      const told = await until(
        () => lab.received(key).filter(({ path }) => path.endsWith('/code')),
        ({ length }) => length > 0,
      )
      assert.equal(told[0]?.body.errorCode, code)
      assert.equal(told[0]?.body.transactionReference, undefined)
    })

  it('accepts a key once, and twice when idempotency is off', async () => {
    const other = await openTestLab()
    const order = () =>
      other.send(`POST ${at}/transactions/type/merchantpay`, payment, { 'x-correlationid': key })
    const key = newKey()
    assert.equal((await order()).status, 202)
    assert.equal(errorOf(await order()), '400 businessRule/duplicateRequest')
    await other.send('POST /lab/idempotency', { enabled: false })
    assert.equal((await order()).status, 202)
    const book = await until(
      () => other.send('GET /lab/books'),
      ({ body }) => object(body.totals).executed === 2,
    )
    assert.equal(object(book.body.totals).keysExecutedTwice, 1)
  })

  for (const [name, change, headers] of [
    ['a number as amount', { amount: 200 }, {}],
    ['no amount', { amount: undefined }, {}],
    ['a fraction of a franc', { amount: '200.50' }, {}],
    ["another country's currency", { currency: 'XAF' }, {}],
    ['no payer', { debitParty: [] }, {}],
    ['a payer that is not a number', { debitParty: [{ key: 'msisdn', value: 'x' }] }, {}],
    ['a key that is not a UUID', {}, { 'x-correlationid': 'abc' }],
    ['a callback address that is not http', {}, { 'x-callback-url': 'ftp://a' }],
  ] as [string, Body, Record<string, string>][])
    it(`refuses ${name}`, async () => {
      assert.equal(errorOf(await pay(change, headers)), '400 validation/formatError')
    })

  it('refuses malformed bodies, unknown types and unknown references', async () => {
    const broken = await lab.send(`POST ${at}/transactions/type/merchantpay`, '{"amount":')
    assert.equal(errorOf(broken), '400 validation/formatError')
    const unknown = ['transactions/T1', `responses/${newKey()}`, `requeststates/${newKey()}`]
    for (const path of [...unknown, 'nowhere', '', 'transactions/type/merchantpay'])
      assert.equal(
        errorOf(await lab.send(`GET ${at}/${path}`)),
        '404 identification/identifierError',
        path,
      )
    for (const path of ['responses/none', 'requeststates/T1'])
      assert.equal(errorOf(await lab.send(`GET ${at}/${path}`)), '400 validation/formatError')
    for (const type of ['gift', 'constructor']) {
      const answer = await lab.send(`POST ${at}/transactions/type/${type}`, payment)
      assert.equal(errorOf(answer), '400 validation/formatError')
    }
    const { body } = await lab.send(`GET ${at}/heartbeat`)
    assert.deepEqual(body, { serviceStatus: 'available' })
  })

  it('a payment is reversed in parts, never above what was paid', async () => {
    const reference = await paid()
    const reverse = (change: Body) =>
      lab.send(
        `POST ${at}/transactions/${reference}/reversals`,
        { type: 'reversal', ...change },
        { 'x-correlationid': newKey() },
      )
    assert.equal(
      errorOf(await reverse({ amount: '201' })),
      '400 businessRule/greaterThanTransactionMaxValue',
    )
    assert.equal((await reverse({ amount: '150', currency: 'XOF' })).status, 202)
    assert.equal(
      errorOf(await reverse({ amount: '51' })),
      '400 businessRule/greaterThanTransactionMaxValue',
    )
    const rest = await reverse({})
    const done = await until(
      () => lab.send(`GET ${at}/transactions/${String(rest.body.objectReference)}`),
      ({ body }) => body.transactionStatus === 'completed',
    )
    assert.equal(done.body.amount, '50')
    assert.equal(done.body.originalTransactionReference, reference)
    assert.equal(done.body.type, 'reversal')
  })

  it('a pending payment cannot be reversed', async () => {
    const silent = await pay({ debitParty: [{ key: 'msisdn', value: '221770000004' }] })
    const path = `${at}/transactions/${String(silent.body.objectReference)}/reversals`
    assert.equal(
      errorOf(await lab.send(`POST ${path}`, { type: 'reversal' })),
      '400 businessRule/incorrectState',
    )
  })

  it('the balance is the same, collections added and payouts taken off', async () => {
    // A provider of its own: its balance is that of these orders alone.
    const own = '/gsma/WALLETX/SN'
    const balance = async () => {
      const { status, body } = await lab.send(`GET ${own}/accounts/balance`)
      assert.deepEqual([status, body.accountStatus, body.currency], [200, 'available', 'XOF'])
      return Number(body.currentBalance)
    }
    const before = await balance()
    const send = async (type: string, amount: string) => {
      const party = type === 'disbursement' ? { creditParty: customer } : { debitParty: customer }
      const order = { amount, currency: 'XOF', ...party }
      const { body } = await lab.send(`POST ${own}/transactions/type/${type}`, order)
      await until(
        () => lab.send(`GET ${own}/transactions/${String(body.objectReference)}`),
        ({ body }) => body.transactionStatus === 'completed',
      )
    }
    await send('merchantpay', '700')
    await send('disbursement', '200')
    assert.equal(await balance(), before + 500)
  })

  it('does not find the orders of another provider', async () => {
    const reference = await paid()
    const { status } = await lab.send(`GET /gsma/WALLETC/SN/transactions/${reference}`)
    assert.equal(status, 404)
  })
})

describe('gsma bills', () => {
  const water = '/gsma/WATER/SN/accounts'
  const billsOf = async (reference: string, biller = 'WATER') => {
    const { status, text } = await lab.send(
      `GET /gsma/${biller}/SN/accounts/accountid/${reference}/bills`,
    )
    return { status, bills: JSON.parse(text) as Body[] }
  }
  const settle = (reference: string, bill: Body | undefined, key = newKey(), change: Body = {}) =>
    lab.send(
      `POST ${water}/accountid/${reference}/bills/${String(bill?.billReference)}/payments`,
      { amountPaid: bill?.amountDue, currency: 'XOF', paymentType: 'fullpayment', ...change },
      { 'x-correlationid': key },
    )
  const statuses = (bills: Body[]) => bills.map(({ billStatus }) => billStatus).join(' ')

  for (const [reference, expected] of [
    ['100000001', 'unpaid'],
    ['000100000001', 'unpaid'],
    ['100000002', 'unpaid unpaid unpaid'],
    ['100000003', 'paid paid'],
    ['100000005', 'unpaid'],
    ['100000006', 'unpaid'],
  ] as const)
    it(`the bills of ${reference} are ${expected}`, async () => {
      for (const biller of ['WATER', 'ELEC']) {
        const { bills } = await billsOf(reference, biller)
        assert.equal(statuses(bills), expected)
        const [held, first, last] = (bills[0]?.customData ?? []) as Body[]
        assert.equal(held?.value, reference.padStart(12, '0'))
        assert.ok(first?.value && last?.value)
        assert.match(String(bills[0]?.dueDate), /^\d{4}-\d\d-\d\d$/)
        assert.match(String(bills[0]?.amountDue), /^[1-9]\d+$/)
      }
    })

  it('other references are unknown', async () => {
    for (const reference of ['100000004', '199999999', '1', 'x'])
      assert.equal((await billsOf(reference)).status, 404)
    assert.equal((await billsOf('100000001', 'WALLETA')).status, 404)
  })

  it('a bill is paid once and at once, and new bills follow the last one', async () => {
    for (const expected of ['paid unpaid unpaid', 'paid paid unpaid', 'unpaid unpaid unpaid']) {
      const { bills } = await billsOf('100000002')
      const bill = bills.find(({ billStatus }) => billStatus === 'unpaid')
      const key = newKey()
      const answer = await settle('100000002', bill, key)
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.body.amountPaid, bill?.amountDue)
      assert.equal(
        errorOf(await settle('100000002', bill, key)),
        '400 businessRule/duplicateRequest',
      )
      assert.equal(errorOf(await settle('100000002', bill)), '400 businessRule/incorrectState')
      assert.equal(statuses((await billsOf('100000002')).bills), expected)
    }
    const [paid] = (await billsOf('100000003')).bills
    assert.equal(errorOf(await settle('100000003', paid)), '400 businessRule/incorrectState')
  })

  it('the payment of 100000005 is refused, the answer to that of 100000006 is lost', async () => {
    const [refused] = (await billsOf('100000005')).bills
    assert.equal(errorOf(await settle('100000005', refused)), '400 businessRule/requestDeclined')
    const [lost] = (await billsOf('100000006')).bills
    const key = newKey()
    assert.equal((await settle('100000006', lost, key)).status, 0)
    const { body } = await lab.send(`GET /gsma/WATER/SN/responses/${key}`)
    const transaction = await lab.send(`GET /gsma/WATER/SN${String(body.link)}`)
    assert.equal(transaction.body.transactionStatus, 'completed')
    assert.equal(transaction.body.type, 'billpay')
  })

  it('one that a script holds up is accepted first, and called back', async () => {
    const steps = [{ do: 'answer' }, { do: 'soon' }, { do: 'succeed' }, { do: 'callback' }]
    await lab.send('POST /lab/scenario', { reference: '100000001', steps })
    const account = '/gsma/ELEC/SN/accounts/accountid/100000001'
    const [bill] = (await billsOf('100000001', 'ELEC')).bills
    const path = `${account}/bills/${String(bill?.billReference)}/payments`
    const key = newKey()
    const payment = { amountPaid: bill?.amountDue, currency: 'XOF' }
    const taken = await lab.send(`POST ${path}`, payment, { 'x-callback-url': lab.inbox(key) })
    assert.deepEqual([taken.status, taken.body.notificationMethod], [202, 'callback'])
    const [callback] = await until(
      () => lab.received(key),
      ({ length }) => length > 0,
    )
    const { billPaymentStatus, amountPaid } = callback?.body ?? {}
    assert.deepEqual([billPaymentStatus, amountPaid], ['completed', bill?.amountDue])
    const [next] = (await billsOf('100000001', 'ELEC')).bills
    assert.notEqual(next?.billReference, bill?.billReference)
  })

  it('a bill is paid only in full and in its own currency', async () => {
    const [bill] = (await billsOf('100000001')).bills
    const [less, more] = [{ amountPaid: '1' }, { amountPaid: '999999' }]
    assert.equal(
      errorOf(await settle('100000001', bill, newKey(), less)),
      '400 businessRule/underPaymentNotAllowed',
    )
    assert.equal(
      errorOf(await settle('100000001', bill, newKey(), more)),
      '400 businessRule/overPaymentNotAllowed',
    )
    const currency = await settle('100000001', bill, newKey(), { currency: 'EUR' })
    assert.equal(errorOf(currency), '400 validation/formatError')
  })
})
