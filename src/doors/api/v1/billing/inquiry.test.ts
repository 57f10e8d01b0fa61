import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { inquire, listedBill, openBiller, pay } from '#test/bills.ts'
import { call, contentsOf, liveGateway } from '#test/live.ts'

const biller = await openBiller(() => [200, []])
const gateway = await liveGateway({
  // A fake biller, which speaks the lab's protocol and gives the answers of this test.
  bind: (one) => (one.provider === 'ELEC' ? { ...one, baseUrl: biller.url } : one),
})
const { db, newMerchant, url } = gateway
const target = 'POST /api/v1/billing/inquiry'
const french = { 'Accept-Language': 'fr' }
const before = await contentsOf(db)

/** The answer to an inquiry when the biller lists these bills. */
async function inquireWith(...bills: object[]) {
  biller.answer = () => [200, bills]
  return inquire(gateway, 'ELEC_SN_BILL', '42')
}

describe('a bill inquiry', () => {
  it('is answered with every field of a bill', async () => {
    const answer = await inquire(gateway, 'WATER_SN_BILL', '100000001')
    assert.equal(answer.status, 200, answer.text)
    const [bill] = answer.body.bills
    const due = new Date(Date.now() + 15 * 86_400_000).toISOString().slice(0, 10)
    assert.deepEqual(answer.body, {
      success: true,
      referenceClient: '000100000001',
      bills: [
        {
          paymentTransactionNumber: null,
          referenceClient: '000100000001',
          referenceFacture: bill.referenceFacture,
          nom: 'Ndiaye',
          prenom: 'Awa',
          montant: bill.montant,
          frais: 0,
          total: bill.montant,
          dateEcheance: due,
          paid: false,
          address: null,
          meterStatus: null,
        },
      ],
    })
    assert.match(bill.referenceFacture, /^W\d+$/)
    assert.ok(Number.isInteger(bill.montant) && bill.montant >= 2500)
    assert.deepEqual(Object.keys(bill), [
      'paymentTransactionNumber',
      'referenceClient',
      'referenceFacture',
      'nom',
      'prenom',
      'montant',
      'frais',
      'total',
      'dateEcheance',
      'paid',
      'address',
      'meterStatus',
    ])
  })

  it('lists every bill, also those that are paid', async () => {
    const many = await inquire(gateway, 'WATER_SN_BILL', '100000002')
    assert.deepEqual(
      many.body.bills.map((one: { paid: boolean }) => one.paid),
      [false, false, false],
    )
    const none = await inquire(gateway, 'WATER_SN_BILL', '100000003')
    assert.deepEqual([none.status, none.body.success], [200, true])
    assert.deepEqual(
      none.body.bills.map((one: { paid: boolean }) => one.paid),
      [true, true],
    )
  })

  it('answers for a prepaid meter with its owner and address, and no amount', async () => {
    const answer = await inquire(gateway, 'PREPAID_SN_BILL', '200000001')
    const [meter] = answer.body.bills
    assert.deepEqual(answer.body, {
      success: true,
      referenceClient: '000200000001',
      bills: [
        {
          paymentTransactionNumber: null,
          referenceClient: '000200000001',
          referenceFacture: meter.referenceFacture,
          nom: 'Sow',
          prenom: 'Aminata',
          montant: 0,
          frais: 0,
          total: 0,
          dateEcheance: '',
          paid: false,
          address: '12 rue 10, Dakar',
          meterStatus: 'ACTIVE',
        },
      ],
    })
    assert.match(meter.referenceFacture, /^session-[\w-]{16}$/)
  })

  it('is answered to a key that may only read', async () => {
    const { clientId } = gateway
    const secret = await db.transaction(async (tx) => {
      const order = { clientId, label: 'reads', rights: ['read'] as const, actor: 'test' }
      return (await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret
    })
    const reader = { url, secret }
    const answer = await inquire(reader, 'WATER_SN_BILL', '100000001')
    assert.equal(answer.status, 200, answer.text)
    const body = { serviceCode: 'WATER_SN_BILL', reference_client: '100000001' }
    assert.equal((await pay(reader, body)).body.code, 'RIGHT_MISSING')
  })

  it('finds a customer with or without leading zeros', async () => {
    for (const [service, customer] of [
      ['WATER_SN_BILL', '0100000001'],
      ['PREPAID_SN_BILL', '000200000001'],
    ] as const) {
      const { status, body } = await inquire(gateway, service, customer)
      assert.deepEqual([status, body.referenceClient], [200, customer.padStart(12, '0')])
    }
  })

  // name, fields of the biller's answer, fields of ours
  const variants: [string, object, object][] = [
    ['a fee', custom('billFee', '250'), { montant: 7500, frais: 250, total: 7750 }],
    ['no name', {}, { nom: '', prenom: null, referenceClient: '42' }],
    ['an empty name', custom('customerFirstName', ''), { prenom: null }],
    ['a last name', custom('customerLastName', "N'Diaye Ünal"), { nom: "N'Diaye Ünal" }],
    ['a date with a time', { dueDate: '2026-02-01T00:00:00Z' }, { dateEcheance: '2026-02-01' }],
    ['a day that does not exist', { dueDate: '2026-02-30' }, { dateEcheance: '' }],
    ['no date', { dueDate: null }, { dateEcheance: '' }],
    ['a text for a date', { dueDate: 'next week' }, { dateEcheance: '' }],
    ['a partial payment', { billStatus: 'partialpaid' }, { paid: false, montant: 7500 }],
    ['decimals of zero', { amountDue: '7500.00' }, { montant: 7500 }],
  ]
  for (const [name, listed, expected] of variants)
    it(`reads a bill with ${name}`, async () => {
      const { status, body, text } = await inquireWith(listedBill(listed))
      assert.equal(status, 200, text)
      for (const [field, value] of Object.entries(expected))
        assert.equal(body.bills[0][field], value)
    })

  it('lists nothing for a customer without bills, who then cannot pay', async () => {
    const { status, body } = await inquireWith()
    assert.deepEqual([status, body], [200, { success: true, referenceClient: '42', bills: [] }])
    const order = { serviceCode: 'ELEC_SN_BILL', reference_client: '42' }
    assert.equal((await pay(gateway, order)).body.code, 'BILL_ALREADY_PAID')
    const named = await pay(gateway, { ...order, reference_facture: 'E9' })
    assert.equal(named.body.code, 'BILL_NOT_FOUND')
  })
})

function custom(key: string, value: string): object {
  return { customData: [{ key, value }] }
}

describe('a customer that the biller does not know', () => {
  for (const service of ['WATER_SN_BILL', 'PREPAID_SN_BILL'])
    it(`is answered with BILL_NOT_FOUND for ${service}`, async () => {
      const answer = await inquire(gateway, service, '999999999')
      const { requestId, ...body } = answer.body
      assert.deepEqual(
        [answer.status, body],
        [
          400,
          {
            success: false,
            message: 'No bill found for this reference',
            bills: [],
            code: 'BILL_NOT_FOUND',
          },
        ],
      )
      assert.equal(requestId, answer.headers.get('x-request-id'))
      const { body: fr } = await inquire(gateway, service, '999999999', french)
      assert.equal(fr.message, 'Aucune facture trouvée pour cette référence')
    })
})

describe('an unexpected answer of a biller', () => {
  // No index of the database holds it, and no compression shortens it.
  const longNumber = randomBytes(3750).toString('base64')
  // name, the biller's answer: never taken for "not found", nor shown in part
  const answers: [string, [number, unknown]][] = [
    ['an error', [500, { errorCode: 'genericError' }]],
    ['503', [503, 'down for lunch']],
    ['an HTML page', [200, '<html>']],
    ['an empty body', [200, '']],
    ['an object', [200, { bills: [] }]],
    ['a 404 that is not about the customer', [404, '<h1>Not found</h1>']],
    ['a refusal', [400, { errorCode: 'formatError' }]],
    ['401', [401, { errorCode: 'clientAuthorisationError' }]],
    ['a redirect', [302, '']],
    ['half a franc', [200, [listedBill({ amountDue: '10.5' })]]],
    ['a negative amount', [200, [listedBill({ amountDue: '-1' })]]],
    ['no amount', [200, [listedBill({ amountDue: undefined })]]],
    ['another currency', [200, [listedBill({ currency: 'EUR' })]]],
    ['an unknown status', [200, [listedBill({ billStatus: 'disputed' })]]],
    ['no reference', [200, [listedBill({ billReference: '' })]]],
    ['a reference with NUL', [200, [listedBill({ billReference: 'E\0' })]]],
    ['half a surrogate pair', [200, JSON.stringify([listedBill({ billReference: 'E\ud800' })])]],
    ['one valid and one invalid bill', [200, [listedBill(), listedBill({ currency: 1 })]]],
    ['a text for a fee', [200, [listedBill(custom('billFee', 'some'))]]],
    ['a customer number of 5 kB', [200, [listedBill(custom('customerReference', longNumber))]]],
  ]
  for (const [name, billerAnswer] of answers)
    it(`makes the service unavailable: ${name}`, async () => {
      biller.answer = () => billerAnswer
      biller.requests.length = 0
      const order = { serviceCode: 'ELEC_SN_BILL', reference_client: '42' }
      for (const answer of [
        await inquire(gateway, 'ELEC_SN_BILL', '42'),
        await pay(gateway, { ...order, externalTransactionId: 'never' }),
      ]) {
        assert.equal(answer.status, 503, answer.text)
        assert.equal(answer.body.code, 'SERVICE_UNAVAILABLE')
        assert.deepEqual(answer.body.message, [
          'The service ELEC_SN_BILL is not available right now',
        ])
        assert.equal(answer.headers.get('retry-after'), '1')
      }
      const query = 'GET /accounts/accountid/42/bills'
      assert.deepEqual(biller.requests, [query, query])
    })

  it('is reported in French to a French caller', async () => {
    biller.answer = () => [200, 'x']
    const { body } = await inquire(gateway, 'ELEC_SN_BILL', '42', french)
    assert.match(body.message[0], /n'est pas disponible pour le moment/)
  })
})

describe('an invalid bill inquiry', () => {
  // body, sentences of the refusal
  const bodies: [object, RegExp[]][] = [
    [{}, [/^serviceCode is required/, /^reference_client is required/]],
    [
      { serviceCode: 'WALLETA_SN_CASHOUT', reference_client: 12 },
      [/^serviceCode must be one of WATER_SN_BILL, /, /^reference_client was sent as a number/],
    ],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '' }, [/^reference_client/]],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '../../x' }, [/^reference_client/]],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '1'.repeat(65) }, [/^reference_client/]],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '1\0' }, [/control or broken/]],
    [{ serviceCode: { toString: 1 }, reference_client: '1' }, [/^serviceCode/]],
  ]
  for (const [body, sentences] of bodies)
    it(`is refused: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const answer = await call(gateway, target, body)
      assert.deepEqual([answer.status, answer.body.success], [400, false], answer.text)
      assert.equal(answer.body.message.length, sentences.length, answer.text)
      sentences.forEach((sentence, at) => assert.match(answer.body.message[at], sentence))
      assert.equal(answer.body.code, 'VALIDATION_FAILED')
      assert.equal('bills' in answer.body, false)
    })

  it('is refused for a service that is not enabled for the account', async () => {
    const own = { url, ...(await newMerchant()) }
    const { clientId } = own
    const order = { clientId, serviceCode: 'WATER_SN_BILL', actor: 'test' }
    await db.transaction((tx) =>
      changeTerms(tx, { clock }, { ...order, change: { isEnabled: false } }),
    )
    const { status, body } = await inquire(own, 'WATER_SN_BILL', '100000001')
    assert.deepEqual([status, body.code], [400, 'SERVICE_NOT_ENABLED'])
    assert.equal((await inquire(own, 'PREPAID_SN_BILL', '200000001')).status, 200)
  })
})

it('a bill inquiry is answered at the short paths too', async () => {
  const body = { serviceCode: 'WATER_SN_BILL', reference_client: '100000002' }
  for (const path of ['/v1/billing/inquiry', '/billing/inquiry'])
    assert.equal((await call(gateway, `POST ${path}`, body)).status, 200)
})

it('bill inquiries write nothing to the database', async () => {
  const now = await contentsOf(db)
  for (const table of ['transactions', 'external_ids', 'bill_claims', 'events', 'evidence'])
    assert.deepEqual(now[table], before[table])
})
