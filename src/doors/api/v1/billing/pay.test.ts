import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import {
  type Caller,
  inquire,
  listedBill,
  openBiller,
  paidBill,
  pay,
  payBody,
  postingsOf,
  topUpBody,
  unpaidOf,
} from '#test/bills.ts'
import { type Answer, balance, call, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const biller = await openBiller(() => [200, []])
const gateway = await liveGateway({
  // A fake biller, which speaks the lab's protocol and gives the answers of this test.
  bind: (one) => (one.provider === 'ELEC' ? { ...one, baseUrl: biller.url } : one),
})
const { db, newMerchant, url } = gateway
const french = { 'Accept-Language': 'fr' }
const funds = 5_000_000
const fee = (amount: number) => Math.floor((amount * 200 + 5000) / 10_000)

async function merchant(money = funds): Promise<Caller & { clientId: number }> {
  return { url, ...(await newMerchant(money)) }
}

function terms(clientId: number, serviceCode: string, change: object): Promise<unknown> {
  return db.transaction((tx) =>
    changeTerms(tx, { clock }, { clientId, serviceCode, change, actor: 'test' }),
  )
}

/** Makes the biller of electricity list these bills, and give this answer to a payment. */
function electricity(bills: object[], paid: [number, unknown] = [201, {}]): void {
  biller.requests.length = 0
  biller.answer = (request) => {
    if (request.startsWith('POST')) return paid
    return request.includes('/responses/') ? [404, { errorCode: 'identifierError' }] : [200, bills]
  }
}

/** Fails unless the answer is a general refusal: a list of sentences. */
function assertInvalid({ status, body, text }: Answer, ...sentences: RegExp[]): void {
  assert.deepEqual([status, body.success], [400, false], text)
  assert.equal(body.message.length, sentences.length, text)
  assert.equal(body.params.length, sentences.length, text)
  sentences.forEach((sentence, at) => assert.match(body.message[at], sentence))
  assert.equal('transaction' in body, false)
}

/** Fails unless the answer is a refusal of a bill: one sentence, and a failed transaction. */
function assertFailed(answer: Answer, code: string, message: string): void {
  const { status, body, headers } = answer
  const { transaction, requestId } = body
  const { success, Status, message: inner } = transaction
  assert.deepEqual(
    [status, body.success, body.code, body.message, success, Status, inner],
    [400, false, code, message, false, 'FAILED', message],
    answer.text,
  )
  assert.equal(requestId, headers.get('x-request-id'))
}

describe('a bill that is paid', () => {
  it('is answered with every field, and debited with the fee', async () => {
    const caller = await merchant()
    const body = payBody({ serviceCode: 'WATER_SN_BILL', reference_client: '100000001' })
    const answer = await pay(caller, body)
    const { transaction } = answer.body
    const { amount, transactionId, referenceFacture } = transaction
    const left = funds - amount - fee(amount)
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(answer.body, {
      message: 'Bill paid successfully',
      transaction: {
        success: true,
        transactionId,
        externalTransactionId: body.externalTransactionId,
        transactionType: 'BILL',
        amount,
        transactionFee: fee(amount),
        number: '100000001',
        referenceFacture,
        Status: 'SUCCESS',
        previousBalance: funds,
        currentBalance: left,
      },
    })
    assert.match(referenceFacture, /^W\d+$/)
    assert.equal(await balance(caller), left)
    assert.deepEqual(await postingsOf(gateway, transactionId), ['hold', 'capture'])
  })

  it('is answered for a prepaid meter with the recharge code in place of the bill', async () => {
    const caller = await merchant()
    const { status, body, text } = await pay(caller, {
      serviceCode: 'PREPAID_SN_BILL',
      reference_client: '000200000001',
      amount: 12_345,
    })
    const { transactionId, token, ...transaction } = body.transaction
    assert.equal(status, 201, text)
    assert.match(token, /^\d{4}(-\d{4}){4}$/)
    assert.deepEqual(transaction, {
      success: true,
      externalTransactionId: '',
      transactionType: 'BILL',
      amount: 12_345,
      transactionFee: 247,
      number: '000200000001',
      Status: 'SUCCESS',
      previousBalance: funds,
      currentBalance: funds - 12_345 - 247,
    })
    assert.ok(transactionId !== '')
  })

  it('has its recharge codes in the order in which the customer types them', async () => {
    const caller = await merchant()
    const { body } = await pay(caller, topUpBody({ reference_client: '200000007' }))
    const { OperatorApi } = (
      await call(caller, `GET /api/v1/transaction/${body.transaction.transactionId}`)
    ).body.transaction
    // The order in which the provider lists them.
    const token = await fetch(`${gateway.lab.url}/top-up/PREPAID/SN/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"client_id":"a","client_secret":"b","grant_type":"client_credentials"}',
    }).then((answer) => answer.json() as Promise<{ access_token: string }>)
    const shown = await fetch(`${gateway.lab.url}/top-up/PREPAID/SN/transactions/${OperatorApi}`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    })
    const { transaction } = (await shown.json()) as {
      transaction: { billDetails: { pinDetails: { token: string } } }
    }
    assert.equal(body.transaction.token, transaction.billDetails.pinDetails.token)
    assert.match(body.transaction.token, /^\d{4}(-\d{4}){4}( \d{4}(-\d{4}){4}){2}$/)
  })

  it('is the one that the request names, else the first unpaid one', async () => {
    const caller = await merchant()
    const customer = '100000002'
    const [first, second, third] = await unpaidOf(caller, customer)
    const paid: (string | undefined)[] = []
    for (const change of [{ reference_facture: second }, {}, {}]) {
      const { body, text } = await pay(caller, payBody({ reference_client: customer, ...change }))
      assert.equal(body.transaction.Status, 'SUCCESS', text)
      paid.push(body.transaction.referenceFacture)
    }
    assert.deepEqual(paid, [second, first, third])
  })

  it('has the fee of the contract', async () => {
    const caller = await merchant()
    await terms(caller.clientId, 'PREPAID_SN_BILL', { fixed: 75, basisPoints: 0 })
    await terms(caller.clientId, 'WATER_SN_BILL', { basisPoints: 0 })
    const topUp = await pay(caller, topUpBody({ amount: 1000 }))
    assert.equal(topUp.body.transaction.transactionFee, 75)
    const { body } = await pay(caller, payBody({ reference_client: '100000002' }))
    assert.equal(body.transaction.transactionFee, 0)
    assert.equal(await balance(caller), funds - 1075 - body.transaction.amount)
  })
})

describe('the amount of a bill payment', () => {
  const ignored = ['abc', -1, null, 0, 1, 1.5, 10_000_000, true, [], { toString: 1 }]
  it(`is the bill's own, whatever is sent (${JSON.stringify(ignored)})`, async () => {
    const caller = await merchant()
    for (const amount of ignored) {
      const answer = await pay(caller, payBody({ reference_client: '100000002', amount }))
      assert.equal(answer.status, 201, answer.text)
      assert.ok(answer.body.transaction.amount >= 2500)
    }
  })

  // amount of a top-up, whether it is accepted
  const amounts: [unknown, boolean][] = [
    [200, true],
    [1_000_000, true],
    [199, false],
    [1_000_001, false],
    [0, false],
    [-5000, false],
    [500.5, false],
    ['500.5', false],
    ['5e2', false],
    [[500], false],
    [true, false],
    [undefined, false],
  ]
  for (const [amount, isFine] of amounts)
    it(`of ${JSON.stringify(amount)} for a top-up is ${isFine ? 'taken' : 'refused'}`, async () => {
      const caller = await merchant()
      const answer = await pay(caller, topUpBody({ amount }))
      if (isFine) assert.equal(answer.body.transaction.amount, amount, answer.text)
      else {
        const rule = amount === undefined ? /^amount is required$/ : /^amount must be a whole/
        assertInvalid(answer, rule)
        assert.deepEqual([answer.body.code, answer.body.param], ['INVALID_AMOUNT', 'amount'])
      }
    })

  it('of a top-up must be within the limits of the contract, which bills are not', async () => {
    const caller = await merchant()
    await terms(caller.clientId, 'PREPAID_SN_BILL', { amountMin: 100, amountMax: 2000 })
    assert.equal((await pay(caller, topUpBody({ amount: 100 }))).status, 201)
    for (const amount of [99, 2001])
      assertInvalid(
        await pay(caller, topUpBody({ amount })),
        /^amount must be a whole number from 100 to 2000$/,
      )
    // The limits do not apply to a bill, whose amount the biller sets.
    await terms(caller.clientId, 'WATER_SN_BILL', { amountMin: 100, amountMax: 200 })
    assert.equal((await pay(caller, payBody({ reference_client: '100000002' }))).status, 201)
  })

  it("does not include the biller's own fee", async () => {
    const caller = await merchant()
    electricity([listedBill({ customData: [{ key: 'billFee', value: '250' }] })], [201, paidBill()])
    const answer = await pay(caller, { serviceCode: 'ELEC_SN_BILL', reference_client: '42' })
    const { amount, transactionFee, currentBalance } = answer.body.transaction
    assert.deepEqual([amount, transactionFee], [7500, 150], answer.text)
    assert.equal(currentBalance, funds - 7650)
  })
})

describe('a bill payment that is refused before it is recorded', () => {
  // cause, body, code, sentence, sentence in French
  const refusals: [string, object, string, string, RegExp][] = [
    [
      'an unknown customer',
      payBody({ reference_client: '999999999' }),
      'BILL_NOT_FOUND',
      'No bill found for this reference',
      /Aucune facture/,
    ],
    [
      'an unknown meter',
      topUpBody({ reference_client: '999999999' }),
      'BILL_NOT_FOUND',
      'No bill found for this reference',
      /Aucune facture/,
    ],
    [
      'an unknown bill',
      payBody({ reference_facture: 'W0' }),
      'BILL_NOT_FOUND',
      'This customer has no bill of that reference',
      /n'a pas de facture/,
    ],
    [
      'a bill of a meter, which has none',
      topUpBody({ reference_facture: 'W0' }),
      'BILL_NOT_FOUND',
      'This customer has no bill of that reference',
      /n'a pas de facture/,
    ],
    [
      'nothing left to pay',
      payBody({ reference_client: '100000003' }),
      'BILL_ALREADY_PAID',
      'No bill is left to pay',
      /Il ne reste aucune facture/,
    ],
  ]
  for (const [name, body, code, message, fr] of refusals)
    it(`leaves no record, and its external id unused: ${name}`, async () => {
      const caller = await merchant()
      assertFailed(await pay(caller, body), code, message)
      assert.match((await pay(caller, body, french)).body.transaction.message, fr)
      await assertUntouched(caller, body)
    })

  it('leaves no record, and its external id unused: a bill that is paid already', async () => {
    const caller = await merchant()
    const { bills } = (
      await call(caller, 'POST /api/v1/billing/inquiry', {
        serviceCode: 'WATER_SN_BILL',
        reference_client: '100000003',
      })
    ).body
    const body = payBody({
      reference_client: '100000003',
      reference_facture: bills[1].referenceFacture,
    })
    assertFailed(await pay(caller, body), 'BILL_ALREADY_PAID', 'This bill is already paid')
    await assertUntouched(caller, body)
  })

  it('is called paid, not unknown, when the biller no longer lists a paid bill', async () => {
    const caller = await merchant()
    electricity([listedBill({ billReference: 'E-old' })], [201, paidBill()])
    const body = { serviceCode: 'ELEC_SN_BILL', reference_client: '0044' }
    assert.equal((await pay(caller, body)).status, 201)
    electricity([])
    const message = 'This bill is already paid, or is being paid'
    for (const reference_client of ['0044', '44']) {
      const answer = await pay(caller, { ...body, reference_client, reference_facture: 'E-old' })
      assertFailed(answer, 'BILL_ALREADY_PAID', message)
    }
    const other = await pay(caller, { ...body, reference_facture: 'E-none' })
    assert.equal(other.body.code, 'BILL_NOT_FOUND')
  })

  for (const body of [payBody(), topUpBody()])
    it(`leaves no record, and its id unused: too little money, ${body.serviceCode}`, async () => {
      const caller = await merchant(2000)
      assertFailed(await pay(caller, body), 'INSUFFICIENT_FUNDS', 'Insufficient balance')
      const answer = await pay(caller, body, french)
      assertFailed(answer, 'INSUFFICIENT_FUNDS', 'Solde insuffisant')
      await assertUntouched(caller, body, 2000)
    })

  it('is refused when the balance covers the amount and not the fee', async () => {
    const caller = await merchant(5099)
    assertFailed(await pay(caller, topUpBody()), 'INSUFFICIENT_FUNDS', 'Insufficient balance')
    const rich = await merchant(5100)
    const { body } = await pay(rich, topUpBody())
    assert.deepEqual([body.transaction.Status, await balance(rich)], ['SUCCESS', 0])
  })

  async function assertUntouched(
    caller: Caller & { clientId: number },
    { externalTransactionId: id }: { externalTransactionId?: string },
    left = funds,
  ): Promise<void> {
    assert.equal((await call(caller, `GET /api/v1/transaction/${id}`)).status, 404)
    assert.equal(await balance(caller), left)
    const { clientId } = caller
    for (const rows of [
      await db`select from transactions where client_id = ${clientId}`,
      await db`select from bill_claims where client_id = ${clientId}`,
      await db`select from events where client_id = ${clientId}`,
    ])
      assert.equal(rows.length, 0)
    const other = initBody({ externalTransactionId: id, amount: 300 })
    assert.equal((await call(caller, 'POST /api/v1/transaction/init', other)).status, 201)
  }
})

describe('a bill payment that the biller refuses', () => {
  for (const body of [
    payBody({ reference_client: '100000005' }),
    topUpBody({ reference_client: '200000005' }),
  ])
    it(`debits nothing and uses its external id: ${body.serviceCode}`, async () => {
      const caller = await merchant()
      const answer = await pay(caller, body)
      assertFailed(answer, 'BILL_REFUSED', 'The biller refused the payment')
      const { transaction } = answer.body
      const { previousBalance, currentBalance, transactionId, token } = transaction
      assert.deepEqual([previousBalance, currentBalance], [funds, funds])
      assert.equal(token, body.serviceCode === 'PREPAID_SN_BILL' ? null : undefined)
      assert.deepEqual(await postingsOf(gateway, transactionId), ['hold', 'release'])
      assert.equal(await balance(caller), funds)
      const again = await pay(caller, body, french)
      assert.equal(again.status, 409)
      assert.equal(again.body.transaction.transactionId, transactionId)
      assert.equal(again.body.transaction.Status, 'FAILED')
      assert.equal(again.body.transaction.currentBalance, funds)
      assert.equal(again.body.transaction.message, 'Le facturier a refusé le paiement')
      // The event says what the answer says: nothing was debited in the end.
      const { body: feed } = await call(caller, 'GET /api/v1/events')
      const [{ event }] = feed.events
      const { STATUS, PREVIOUS_BALANCE, CURRENT_BALANCE, BALANCE } = event
      assert.deepEqual(
        [feed.events.length, STATUS, PREVIOUS_BALANCE, CURRENT_BALANCE, BALANCE],
        [1, 'FAILED', funds, funds, funds],
      )
    })

  it('frees the bill for the next payment', async () => {
    const caller = await merchant()
    const customer = '100000005'
    const [bill] = await unpaidOf(caller, customer)
    for (let times = 0; times < 2; times += 1) {
      const answer = await pay(caller, payBody({ reference_client: customer }))
      assert.equal(answer.body.code, 'BILL_REFUSED')
      assert.equal(answer.body.transaction.referenceFacture, bill)
    }
  })

  // name, the biller's answer to the payment, our code
  const billerAnswers: [string, [number, unknown], string][] = [
    ['incorrectState', [400, { errorCode: 'incorrectState' }], 'BILL_ALREADY_PAID'],
    ['underPaymentNotAllowed', [400, { errorCode: 'underPaymentNotAllowed' }], 'BILL_REFUSED'],
    ['identifierError', [404, { errorCode: 'identifierError' }], 'BILL_REFUSED'],
    [
      'incorrectState in a status',
      [
        202,
        {
          serverCorrelationId: 's1',
          status: 'failed',
          error: { errorCode: 'incorrectState' },
        },
      ],
      'BILL_ALREADY_PAID',
    ],
  ]
  for (const [name, billerAnswer, code] of billerAnswers)
    it(`is answered with ${code} for ${name}`, async () => {
      const caller = await merchant()
      electricity([listedBill({ billReference: `E-${name}` })], billerAnswer)
      const answer = await pay(caller, { serviceCode: 'ELEC_SN_BILL', reference_client: '43' })
      const message =
        code === 'BILL_REFUSED' ? 'The biller refused the payment' : 'This bill is already paid'
      assertFailed(answer, code, message)
      assert.equal(await balance(caller), funds)
    })
})

describe('a top-up', () => {
  it('is of the meter that the session of an inquiry names, or refused', async () => {
    const sessionOf = async (customer: string) =>
      (await inquire(gateway, 'PREPAID_SN_BILL', customer)).body.bills[0].referenceFacture
    const [own, others] = [await sessionOf('0200000001'), await sessionOf('200000002')]
    const body = { serviceCode: 'PREPAID_SN_BILL', reference_client: '200000001', amount: 500 }
    const paid = await pay(await merchant(), { ...body, reference_facture: own })
    assert.deepEqual([paid.status, paid.body.transaction.Status], [201, 'SUCCESS'], paid.text)
    for (const reference_facture of [others, 'session-AAAAAAAAAAAAAAAA', 'W0']) {
      const { status, body: refused } = await pay(gateway, { ...body, reference_facture })
      assert.deepEqual([status, refused.code], [400, 'BILL_NOT_FOUND'], reference_facture)
    }
  })
})

describe('an invalid bill payment', () => {
  const url2049 = `https://shop.example/${'x'.repeat(2100)}`
  // change of a valid body, sentences of the refusal
  const bodies: [object, RegExp[]][] = [
    [{ serviceCode: undefined }, [/^serviceCode is required/]],
    [{ serviceCode: 'WALLETA_SN_CASHOUT' }, [/^serviceCode must be one of/]],
    [{ serviceCode: { toString: 1 }, amount: 500 }, [/^serviceCode must be one of/]],
    [{ serviceCode: [['WATER_SN_BILL']] }, [/^serviceCode must be one of/]],
    [{ reference_client: null }, [/^reference_client must be 1 to 64/]],
    [{ reference_facture: 5 }, [/^reference_facture was sent as a number/]],
    [{ externalTransactionId: 'a\tb' }, [/^externalTransactionId must not contain control/]],
    [{ callBackURL: 'ftp://x.y' }, [/^callBackURL must be a full http/]],
    [{ callBackURL: 'https://a:b@x.y' }, [/^callBackURL must not contain a user name/]],
    [{ callBackURL: url2049 }, [/^callBackURL/]],
    [{ customData: { a: 1 } }, [/^customData must be a string of 0 to 10000/]],
    [{ customData: 'x'.repeat(10_001) }, [/^customData must be a string of 0 to 10000/]],
    [{ customData: 'a\0b' }, [/^customData must not contain control or broken/]],
    [{ customData: 'a\ud800b' }, [/^customData must not contain control or broken/]],
    [
      { serviceCode: 'PREPAID_SN_BILL', amount: 'five', callBackURL: 'x', customData: 1 },
      [/^amount must be/, /^customData was sent as a number/, /^callBackURL must be/],
    ],
  ]
  for (const [change, sentences] of bodies)
    it(`is refused: ${JSON.stringify(change).slice(0, 70)}`, async () => {
      const answer = await pay(gateway, payBody(change))
      assertInvalid(answer, ...sentences)
    })

  it('is refused for a service that is not enabled before the biller is asked', async () => {
    const caller = await merchant()
    await terms(caller.clientId, 'WATER_SN_BILL', { isEnabled: false })
    const { status, body } = await pay(caller, payBody({ reference_client: '999999999' }))
    assert.deepEqual([status, body.code], [400, 'SERVICE_NOT_ENABLED'])
    assert.equal(Array.isArray(body.message), true)
  })
})

it('a bill payment cannot be refunded', async () => {
  const caller = await merchant()
  const { body } = await pay(caller, payBody({ reference_client: '100000002' }))
  const { transactionId } = body.transaction
  assert.equal(await until(caller, transactionId, isEnd), 'SUCCESS')
  const answer = await call(caller, `POST /api/v1/transaction/refund/${transactionId}`, {})
  assert.deepEqual([answer.status, answer.body.code], [400, 'REFUND_NOT_ALLOWED'])
})

it('the ledger holds after these bill payments', () => assertMoney({ db }))
