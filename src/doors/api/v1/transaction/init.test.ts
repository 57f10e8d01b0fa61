import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { jsonWith, sentAsNumber } from '#test/json-text.ts'
import {
  type Answer,
  balance,
  call,
  contentsOf,
  initBody,
  isEnd,
  liveGateway,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, newMerchant } = gateway
const target = 'POST /api/v1/transaction/init'
const french = { 'Accept-Language': 'fr' }

type Caller = { url: string; secret: string }
type Terms = Parameters<typeof changeTerms>[2]['change']

function init(change: object = {}, caller: Caller = gateway, headers = {}): Promise<Answer> {
  return call(caller, target, initBody(change), headers)
}

/** Sends a valid body with the JSON text of one field replaced, or without the field. */
function initRaw(field: string, value: string | undefined): Promise<Answer> {
  return sendText(jsonWith(initBody(), field, value))
}

async function sendText(body: string): Promise<Answer> {
  const answer = await fetch(`${gateway.url}/api/v1/transaction/init`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gateway.secret}`, 'Content-Type': 'application/json' },
    body,
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
}

/** A new merchant with these terms for a service. */
async function merchantWith(serviceCode: string, change: Terms): Promise<Caller> {
  const { clientId, secret } = await newMerchant()
  await db.transaction((tx) =>
    changeTerms(tx, { clock }, { clientId, serviceCode, change, actor: 'test' }),
  )
  return { url: gateway.url, secret }
}

async function records(): Promise<number> {
  const [row] = await db<{ count: number }>`
    select (select count(*) from transactions) + (select count(*) from external_ids) as count`
  return row?.count ?? 0
}

function assertRefused(answer: Answer, code: string, ...message: string[]): void {
  assert.equal(answer.status, 400, answer.text)
  assert.deepEqual([answer.body.success, answer.body.code], [false, code], answer.text)
  assert.deepEqual(answer.body.message, message)
}

const wholeAmount = 'amount must be a whole number from 200 to 1000000'
const nineDigits = 'number must be exactly 9 digits, without country code'
const idLength = 'externalTransactionId must be a string of 1 to 128 characters'
const noSuchService = 'serviceCode is not an existing service'
const broken = (field: string) => `${field} must not contain control or broken characters`

describe('an invalid field of a new transaction', { concurrency: 8 }, () => {
  // field, JSON texts of its value, code, sentence
  const table: [string, string[], string, string][] = [
    [
      'amount',
      ['199', '1000001', '0', '-200', '200.5', '1e7', '1e999', '"5e2"', '"0x1f4"', '[200]'],
      'INVALID_AMOUNT',
      wholeAmount,
    ],
    ['amount', ['null', 'true', '{}', '""', '"NaN"'], 'INVALID_AMOUNT', wholeAmount],
    [
      'number',
      ['"77123456"', '"7712345678"', '"771234567\\n"', '" 771234567"', '"77 123 45"', '""'],
      'INVALID_PHONE',
      nineDigits,
    ],
    [
      'number',
      ['"٧٧١٢٣٤٥٦٧"', '"+22177123"', 'null', '["771234567"]', '"77123456x"'],
      'INVALID_PHONE',
      nineDigits,
    ],
    ['number', ['771234567', '0'], 'INVALID_PHONE', sentAsNumber('number')],
    ['number', ['"77123456\\u0000"', '"77123456\\ud800"'], 'INVALID_PHONE', broken('number')],
    [
      'externalTransactionId',
      ['""', `"${'x'.repeat(129)}"`, `"${'😀'.repeat(129)}"`, 'null', '["a"]'],
      'VALIDATION_FAILED',
      idLength,
    ],
    [
      'externalTransactionId',
      ['"a\\nb"', '"\\u0000"', '"\\u007f"', '"a\\u0085"', '"\\ud800"'],
      'VALIDATION_FAILED',
      broken('externalTransactionId'),
    ],
    [
      'serviceCode',
      ['"WALLETX_SN_CASHOUT"', '"WALLETA_SN"', '""', '"toString"'],
      'VALIDATION_FAILED',
      noSuchService,
    ],
    [
      'serviceCode',
      ['"walleta_sn_cashout"', '"WALLETA_SN_CASHOUT "', '"WALETA-SN-CASHOUT"'],
      'VALIDATION_FAILED',
      `${noSuchService}: did you mean WALLETA_SN_CASHOUT?`,
    ],
    ['serviceCode', ['5'], 'VALIDATION_FAILED', sentAsNumber('serviceCode')],
    ['serviceCode', ['null', '{}'], 'VALIDATION_FAILED', 'serviceCode must be a string'],
    [
      'serviceCode',
      ['"WATER_SN_BILL"', '"PREPAID_SN_BILL"'],
      'VALIDATION_FAILED',
      'serviceCode must be a wallet or airtime service',
    ],
    ['callBackURL', ['null', '[]'], 'VALIDATION_FAILED', 'callBackURL must be a string'],
    ['successUrl', ['null'], 'VALIDATION_FAILED', 'successUrl must be a string'],
    ['failureUrl', ['null'], 'VALIDATION_FAILED', 'failureUrl must be a string'],
    [
      'sub_merchant_id',
      ['"sm-7f4a9940c621"', '"; drop table"'],
      'VALIDATION_FAILED',
      'sub_merchant_id is not a sub-merchant of yours',
    ],
  ]
  for (const [field, values, code, sentence] of table)
    for (const value of values)
      it(`is refused: ${field} ${value.slice(0, 40)}`, async () => {
        const answer = await initRaw(field, value)
        assertRefused(answer, code, sentence)
        assert.deepEqual([answer.body.param, answer.body.params], [field, [field]])
      })
  for (const field of Object.keys(initBody()))
    it(`is refused when it is missing: ${field}`, async () => {
      const codes: Record<string, string> = { amount: 'INVALID_AMOUNT', number: 'INVALID_PHONE' }
      const answer = await initRaw(field, undefined)
      assertRefused(answer, codes[field] ?? 'VALIDATION_FAILED', `${field} is required`)
    })
})

describe('a valid field of a new transaction', { concurrency: 8 }, () => {
  const table: [string, string[]][] = [
    ['amount', ['200', '1000000', '1e3', '200.0', '0.5e3']],
    ['number', ['"000000000"', '"999999999"', '"\\u00371234567"'.replace('1', '71')]],
    ['externalTransactionId', [`"${'x'.repeat(128)}"`, `"${'😀'.repeat(128)}"`, '"é/?#% &+"']],
  ]
  for (const [field, values] of table)
    for (const value of values)
      it(`is accepted and kept: ${field} ${value.slice(0, 40)}`, async () => {
        const { status, text, body } = await initRaw(field, value)
        assert.equal(status, 201, text)
        assert.equal(body.transaction[field], JSON.parse(value))
        const { externalTransactionId: id } = body.transaction
        const found = await call(gateway, `GET /api/v1/transaction/${encodeURIComponent(id)}`)
        assert.equal(found.body.transaction?.transactionId, body.transaction.transactionId)
      })
})

describe('a new transaction with several faults', () => {
  const all = {
    externalTransactionId: '',
    serviceCode: 'nothing',
    amount: '500.50',
    number: '7',
    callBackURL: 'ftp://shop.example',
    successUrl: 'https://user@shop.example',
    failureUrl: 5,
  }

  it('is refused with a sentence for each', async () => {
    const answer = await init(all)
    assertRefused(
      answer,
      'VALIDATION_FAILED',
      idLength,
      wholeAmount,
      nineDigits,
      sentAsNumber('failureUrl'),
      noSuchService,
      'callBackURL must be a full http or https address',
      'successUrl must not contain a user name or password',
    )
    assert.equal('param' in answer.body, false)
  })

  it('is refused with a sentence for each in French', async () => {
    assertRefused(
      await init(all, gateway, french),
      'VALIDATION_FAILED',
      'externalTransactionId doit être un texte de 1 à 128 caractères',
      'amount doit être un nombre entier de 200 à 1000000',
      'number doit comporter exactement 9 chiffres, sans indicatif',
      'failureUrl a été envoyé comme un nombre : envoyez-le comme texte, entre guillemets',
      "serviceCode n'est pas un service existant",
      'callBackURL doit être une adresse http ou https complète',
      "successUrl ne doit contenir ni nom d'utilisateur ni mot de passe",
    )
  })

  it('is refused with every required field for an empty body', async () => {
    const required = Object.keys(initBody()).map((field) => `${field} is required`)
    assertRefused(await call(gateway, target, {}), 'VALIDATION_FAILED', ...required)
    assertRefused(await call(gateway, target), 'VALIDATION_FAILED', ...required)
  })

  it('leaves no record', async () => {
    const before = await records()
    await init(all)
    await init({ amount: 199 })
    await init({ serviceCode: 'WATER_SN_BILL' })
    assert.equal(await records(), before)
  })
})

describe('amount limits of a client', { concurrency: true }, () => {
  // terms, accepted amounts, refused amounts, limits in the refusal
  const table: [Terms, number[], number[], string][] = [
    [
      { amountMin: 50, amountMax: 2_000_000 },
      [50, 199, 2_000_000],
      [49, 2_000_001],
      '50 to 2000000',
    ],
    [{ amountMin: 1000, amountMax: 5000 }, [1000, 5000], [200, 999, 5001], '1000 to 5000'],
    [{ amountMin: 500 }, [500, 1_000_000], [499, 1_000_001], '500 to 1000000'],
    [{ amountMax: 300 }, [200, 300], [199, 301], '200 to 300'],
  ]
  for (const [change, accepted, refused, limits] of table)
    it(`are enforced for one service only: ${limits}`, async () => {
      const caller = await merchantWith('WALLETA_SN_CASHOUT', change)
      for (const amount of accepted) assert.equal((await init({ amount }, caller)).status, 201)
      for (const amount of refused)
        assertRefused(
          await init({ amount }, caller),
          'INVALID_AMOUNT',
          `amount must be a whole number from ${limits}`,
        )
      const other = { serviceCode: 'WALLETF_CI_CASHOUT', amount: 1_000_000 }
      assert.equal((await init(other, caller)).status, 201)
    })
})

describe('the fee of a new transaction', { concurrency: true }, () => {
  // service, terms, amount, fee
  const table: [string, Terms, number, number][] = [
    ['WALLETA_SN_CASHOUT', { basisPoints: 0 }, 5000, 0],
    ['WALLETA_SN_CASHOUT', { basisPoints: 150 }, 1033, 15],
    ['WALLETA_SN_CASHOUT', { basisPoints: 150 }, 1034, 16],
    ['WALLETA_SN_CASHOUT', { basisPoints: 250, fixed: 25 }, 10_000, 275],
    ['WALLETA_SN_CASHIN', { basisPoints: 100, min: 50 }, 200, 50],
    ['WALLETA_SN_CASHIN', { basisPoints: 100, max: 75 }, 1_000_000, 75],
    ['OPERATOR1_SN_AIRTIME', {}, 5000, 50],
  ]
  for (const [serviceCode, change, amount, fee] of table)
    it(`is ${fee} for ${serviceCode} of ${amount} under ${JSON.stringify(change)}`, async () => {
      const caller = await merchantWith(serviceCode, change)
      const before = await balance(caller)
      const { transaction } = (await init({ serviceCode, amount }, caller)).body
      const service = parseServiceCode(serviceCode)
      const terms = { fixed: 0, min: 0, max: null, basisPoints: 0, ...change }
      assert.ok(service !== undefined)
      assert.equal(transaction.transactionFee, fee)
      assert.equal(transaction.transactionCommission, fee)
      assert.equal(fee, feeOn(service, terms, amount))
      if (service.isDebit) assert.equal(await balance(caller), before - amount - fee)
    })
})

describe('the answer to a new transaction', { concurrency: true }, () => {
  // Stays pending, so that the stored row stays equal to the answer.
  const number = '770000004'
  // service, name, type of the payer's next step, part of its instruction
  const table: [string, string, string?, string?][] = [
    ['WALLETA_SN_CASHOUT', 'Wallet A Cash Out Senegal', 'push', 'on their phone'],
    ['WALLETB_SN_CASHOUT', 'Wallet B Cash Out Senegal', 'redirect', 'to cashout_url'],
    ['WALLETD_SN_CASHOUT', 'Wallet D Cash Out Senegal', 'otp', 'confirm/walletd'],
    ['WALLETF_CM_CASHOUT', 'Wallet F Cash Out Cameroon', 'push', 'on their phone'],
    ['WALLETA_CI_CASHIN', "Wallet A Cash In Côte d'Ivoire"],
    ['WALLETB_SN_CASHIN', 'Wallet B Cash In Senegal'],
    ['WALLETD_SN_CASHIN', 'Wallet D Cash In Senegal'],
    ['WALLETF_CI_CASHIN', "Wallet F Cash In Côte d'Ivoire"],
    ['OPERATOR4_SN_AIRTIME', 'Operator 4 Airtime Senegal'],
  ]
  for (const [serviceCode, serviceName, step, hint = ''] of table)
    it(`has every field for ${serviceCode}`, async () => {
      const caller = { url: gateway.url, ...(await newMerchant()) }
      const sent = initBody({ serviceCode, number })
      const { status, body } = await call(caller, target, sent)
      assert.equal(status, 201)
      const { transactionId, INITIATED_AT, nextStep, cashout_url, ApiTransactionId } =
        body.transaction
      const fee = serviceCode.endsWith('AIRTIME') ? 50 : 100
      const { callBackURL, successUrl, failureUrl, externalTransactionId } = sent
      const held = { previousBalance: 5_000_000, currentBalance: 5_000_000 - 5000 - fee }
      assert.deepEqual(body, {
        message: 'Transaction initiated successfully',
        success: true,
        transaction: {
          transactionId,
          serviceName,
          serviceCode,
          ApiTransactionId,
          transactionType: serviceCode.split('_')[2],
          transactionAmount: 5000,
          transactionFee: fee,
          number,
          Status: 'PENDING',
          INITIATED_AT,
          success: true,
          externalTransactionId,
          callBackURL,
          successUrl,
          failureUrl,
          cancelUrl: failureUrl,
          status: 'PENDING',
          cashout_url,
          deepLink: cashout_url,
          webhook: callBackURL,
          amount: 5000,
          transactionCommission: fee,
          ...(step === undefined ? held : { nextStep }),
        },
      })
      assert.match(transactionId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}(-[0-9a-f]{4,12}){2}$/)
      assert.ok(Math.abs(Date.parse(INITIATED_AT) - Date.now()) < 60_000)
      assert.equal(new Date(INITIATED_AT).toISOString(), INITIATED_AT)
      assert.equal(nextStep?.type, step)
      assert.ok(step === undefined || nextStep.instruction.includes(hint), nextStep?.instruction)
      if (step === 'redirect') assert.ok(cashout_url.startsWith(`${gateway.lab.url}/checkout/`))
      else assert.equal(cashout_url, '')
      const [stored] = await db<{ id: string }>`
        select coalesce(reference, attempt_id::text) as id from transactions
        where id = ${transactionId}`
      assert.equal(ApiTransactionId, stored?.id)
    })

  it("has the payer's next step in French for a French caller", async () => {
    const { body } = await init({ number }, gateway, french)
    const { instruction } = body.transaction.nextStep
    assert.equal(instruction, 'Demandez au client de confirmer le paiement sur son téléphone')
  })

  it('has the id of the attempt while the provider has given no reference', async () => {
    await script(gateway, '779000006', [{ do: 'lose_answer' }])
    const { body } = await init({ number: '779000006' })
    const [attempt] = await db<{ id: string }>`
      select id from attempts where transaction_id = ${body.transaction.transactionId}`
    assert.equal(body.transaction.ApiTransactionId, attempt?.id)
  })

  it('comes after 5 s when the provider does not answer', async () => {
    await script(gateway, '779000001', [{ do: 'delay', ms: 600_000 }, { do: 'answer' }])
    const startMs = performance.now()
    const { status, body } = await init({ number: '779000001', serviceCode: 'WALLETC_SN_CASHOUT' })
    const tookMs = performance.now() - startMs
    assert.deepEqual([status, body.transaction.Status], [201, 'PENDING'])
    // An upper limit is not needed: after 8 s the call times out and the status is PROCESSING.
    assert.ok(tookMs > 4900, `${tookMs} ms`)
  })

  it('is PENDING also when the provider has declined already', async () => {
    await script(gateway, '779000002', [{ do: 'decline', reason: 'insufficient_funds' }])
    const sent = { number: '779000002', serviceCode: 'WALLETB_SN_CASHIN' }
    const caller = { url: gateway.url, ...(await newMerchant()) }
    const { status, body } = await init(sent, caller)
    assert.deepEqual([status, body.transaction.Status], [201, 'PENDING'])
    const { previousBalance, currentBalance } = body.transaction
    assert.deepEqual([previousBalance, currentBalance], [5_000_000, 5_000_000 - 5100])
    assert.equal(await balance(caller), 5_000_000)
  })
})

describe('unknown fields of a new transaction', () => {
  it('are ignored, and neither stored nor sent to the provider', async () => {
    const marker = 'never-to-be-stored'
    const { status, text, body } = await init({
      Status: 'SUCCESS',
      fee: 0,
      clientId: 1,
      id: marker,
      keyId: marker,
      originalId: marker,
      payeeName: marker,
      customData: marker,
      metadata: { [marker]: [marker] },
      [marker]: 1,
    })
    assert.equal(status, 201)
    assert.equal(body.transaction.transactionFee, 100)
    assert.ok(!text.includes(marker))
    assert.ok(!JSON.stringify(await contentsOf(db)).includes(marker))
    const books = await (await fetch(`${gateway.lab.url}/lab/books`)).text()
    assert.ok(!books.includes(marker))
  })
})

describe('an external id that is already used', () => {
  it('is refused with the current state of its record, which only its key is shown', async () => {
    const sent = initBody({ number: '770000001' })
    const first = await call(gateway, target, sent)
    const { transactionId } = first.body.transaction
    await until(gateway, transactionId, isEnd)
    const again = await call(gateway, target, { ...sent, amount: 900 })
    assert.equal(again.status, 409)
    const { transaction, ...error } = again.body
    assert.deepEqual([error.code, error.success], ['DUPLICATE_TRANSACTION', false])
    assert.deepEqual(error.message, ['externalTransactionId already used'])
    const { failure, ...fields } = transaction
    const known = Object.keys(first.body.transaction).filter((name) => name !== 'nextStep')
    assert.deepEqual(Object.keys(fields), known)
    assert.equal(failure.code, 'PAYER_BALANCE_LOW')
    assert.deepEqual([fields.transactionFee, fields.transactionCommission], [0, 0])
    assert.deepEqual([transaction.transactionId, transaction.amount], [transactionId, 5000])
    assert.deepEqual([transaction.Status, transaction.status], ['FAILED', 'FAILED'])
    const secret = await db.transaction((tx) => gateway.newSecret(gateway.clientId, tx))
    const sibling = await call({ url: gateway.url, secret }, target, sent)
    assert.deepEqual([sibling.status, 'transaction' in sibling.body], [409, false])
    const stranger = await call({ url: gateway.url, ...(await newMerchant()) }, target, sent)
    assert.equal(stranger.status, 201)
  })
})

describe('a debit beyond the balance', () => {
  it('is refused without a record, and its external id can be used again', async () => {
    const caller = { url: gateway.url, ...(await newMerchant(1000)) }
    const id = 'short-of-money'
    const before = await records()
    for (const change of [
      { serviceCode: 'WALLETA_SN_CASHIN', amount: 1000 },
      { serviceCode: 'WALLETA_SN_CASHIN', amount: 981 },
      { serviceCode: 'OPERATOR1_SN_AIRTIME', amount: 1000 },
    ])
      assertRefused(
        await init({ externalTransactionId: id, ...change }, caller),
        'INSUFFICIENT_FUNDS',
        'Insufficient balance',
      )
    assert.equal(await records(), before)
    assert.equal(await balance(caller), 1000)
    const last = { externalTransactionId: id, serviceCode: 'WALLETA_SN_CASHIN', amount: 980 }
    const { body } = await init(last, caller)
    assert.deepEqual([body.transaction.previousBalance, body.transaction.currentBalance], [1000, 0])
    // A collection needs no balance.
    assert.equal((await init({ amount: 200 }, caller)).status, 201)
  })
})

describe('a service that a merchant cannot use', () => {
  it('is refused when it is not enabled', async () => {
    const caller = await merchantWith('WALLETA_SN_CASHOUT', { isEnabled: false })
    const answer = await init({}, caller)
    const sentence = 'The service WALLETA_SN_CASHOUT is not enabled for your account'
    assertRefused(answer, 'SERVICE_NOT_ENABLED', sentence)
    assert.equal((await init({ serviceCode: 'WALLETC_SN_CASHOUT' }, caller)).status, 201)
  })

  // scope of the maintenance, change of a valid body, sentence
  for (const [scope, change, sentence] of [
    ['WALLETE_CI_CASHIN', {}, 'The service WALLETE_CI_CASHIN is under maintenance'],
    ['WALLETE_CI_CASHIN', { amount: 1 }, 'The service WALLETE_CI_CASHIN is under maintenance'],
    ['payments', {}, 'The service WALLETE_CI_CASHIN is under maintenance'],
    ['all', { amount: 1 }, 'API under maintenance'],
  ] as const)
    it(`is refused during maintenance of ${scope} ${JSON.stringify(change)}`, async () => {
      const order = { scope, reason: 'test', actor: 'test' }
      const body = { serviceCode: 'WALLETE_CI_CASHIN', ...change }
      await startMaintenance({ db, clock }, order)
      await eventually('it is seen', async () => (await init(body)).status === 403)
      const before = await records()
      const answer = await init(body)
      const other = await init({ serviceCode: 'WALLETE_CI_CASHOUT' })
      await endMaintenance({ db, clock }, order)
      const { status, body: told } = answer
      assert.deepEqual([status, told.code, told.message], [403, 'UNDER_MAINTENANCE', [sentence]])
      assert.equal(answer.headers.get('retry-after'), '60')
      assert.equal(other.status, scope.includes('_') ? 201 : 403)
      assert.equal((await records()) - before, scope.includes('_') ? 2 : 0)
      await eventually('its end is seen', async () => (await init(body)).status !== 403)
    })
})

it('the ledger holds after these transactions', () => assertMoney(gateway))
