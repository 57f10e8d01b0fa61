import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inquire, listedBill, openBiller, pay } from '../../../../test/bills.ts'
import { call, contentsOf, liveGateway } from '../../../../test/live.ts'
import { changeTerms } from '../../../clients/terms.ts'
import { systemClock as clock } from '../../../kit/clock.ts'

const biller = await openBiller(() => [200, []])
const gateway = await liveGateway({
  // A biller of the lab's kind, but one that says what this test wants.
  bind: (one) => (one.provider === 'ELEC' ? { ...one, baseUrl: biller.url } : one),
})
const { db, newMerchant, url } = gateway
const target = 'POST /api/v1/billing/inquiry'
const french = { 'Accept-Language': 'fr' }
const before = await contentsOf(db)

/** What a biller lists for a customer, and how the interface shows it. */
async function shown(...bills: object[]) {
  biller.answer = () => [200, bills]
  return inquire(gateway, 'ELEC_SN_BILL', '42')
}

describe('what a customer owes', () => {
  it('is shown field by field', async () => {
    const told = await inquire(gateway, 'WATER_SN_BILL', '100000001')
    assert.equal(told.status, 200, told.text)
    const [bill] = told.body.bills
    const due = new Date(Date.now() + 15 * 86_400_000).toISOString().slice(0, 10)
    assert.deepEqual(told.body, {
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

  it('has every bill, also those that are paid', async () => {
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

  it('is of a meter: no amount, whose it is and where', async () => {
    const told = await inquire(gateway, 'PREPAID_SN_BILL', '200000001')
    const [meter] = told.body.bills
    assert.deepEqual(told.body, {
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

  it('is found with or without the zeros in front', async () => {
    for (const [service, customer] of [
      ['WATER_SN_BILL', '0100000001'],
      ['PREPAID_SN_BILL', '000200000001'],
    ] as const) {
      const { status, body } = await inquire(gateway, service, customer)
      assert.deepEqual([status, body.referenceClient], [200, customer.padStart(12, '0')])
    }
  })

  // what the biller says of a bill, how it is shown
  const wordings: [string, object, object][] = [
    ['a fee', custom('billFee', '250'), { montant: 7500, frais: 250, total: 7750 }],
    ['no name', {}, { nom: '', prenom: null, referenceClient: '42' }],
    ['an empty name', custom('customerFirstName', ''), { prenom: null }],
    ['a last name', custom('customerLastName', "N'Diaye Ünal"), { nom: "N'Diaye Ünal" }],
    ['a moment', { dueDate: '2026-02-01T00:00:00Z' }, { dateEcheance: '2026-02-01' }],
    ['no date', { dueDate: null }, { dateEcheance: '' }],
    ['a date in words', { dueDate: 'next week' }, { dateEcheance: '' }],
    ['a part that is paid', { billStatus: 'partialpaid' }, { paid: false, montant: 7500 }],
    ['francs with a point', { amountDue: '7500.00' }, { montant: 7500 }],
  ]
  for (const [name, said, seen] of wordings)
    it(`is read with ${name}`, async () => {
      const { status, body, text } = await shown(listedBill(said))
      assert.equal(status, 200, text)
      for (const [field, value] of Object.entries(seen)) assert.equal(body.bills[0][field], value)
    })

  it('is nothing when a customer has no bills, and then nothing can be paid', async () => {
    const { status, body } = await shown()
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
    it(`of ${service} is not found`, async () => {
      const told = await inquire(gateway, service, '999999999')
      const { requestId, ...body } = told.body
      assert.deepEqual(
        [told.status, body],
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
      assert.equal(requestId, told.headers.get('x-request-id'))
      const { body: fr } = await inquire(gateway, service, '999999999', french)
      assert.equal(fr.message, 'Aucune facture trouvée pour cette référence')
    })
})

describe('a biller that cannot be understood', () => {
  // what it answers with; never taken for "not found", nor shown in part
  const answers: [string, [number, unknown]][] = [
    ['an error', [500, { errorCode: 'genericError' }]],
    ['503', [503, 'down for lunch']],
    ['a page', [200, '<html>']],
    ['nothing', [200, '']],
    ['an object', [200, { bills: [] }]],
    ['a 404 that is not about the customer', [404, '<h1>Not found</h1>']],
    ['a refusal', [400, { errorCode: 'formatError' }]],
    ['no right to ask', [401, { errorCode: 'clientAuthorisationError' }]],
    ['a redirect', [302, '']],
    ['half a franc', [200, [listedBill({ amountDue: '10.5' })]]],
    ['less than nothing', [200, [listedBill({ amountDue: '-1' })]]],
    ['no amount', [200, [listedBill({ amountDue: undefined })]]],
    ['other money', [200, [listedBill({ currency: 'EUR' })]]],
    ['an unlisted word', [200, [listedBill({ billStatus: 'disputed' })]]],
    ['no reference', [200, [listedBill({ billReference: '' })]]],
    ['a reference with NUL', [200, [listedBill({ billReference: 'E\0' })]]],
    ['half a letter', [200, JSON.stringify([listedBill({ billReference: 'E\ud800' })])]],
    ['one that is right and one that is not', [200, [listedBill(), listedBill({ currency: 1 })]]],
    ['a fee in words', [200, [listedBill(custom('billFee', 'some'))]]],
  ]
  for (const [name, answer] of answers)
    it(`(${name}) is not available`, async () => {
      biller.answer = () => answer
      biller.requests.length = 0
      const order = { serviceCode: 'ELEC_SN_BILL', reference_client: '42' }
      for (const told of [
        await inquire(gateway, 'ELEC_SN_BILL', '42'),
        await pay(gateway, { ...order, externalTransactionId: 'never' }),
      ]) {
        assert.equal(told.status, 503, told.text)
        assert.equal(told.body.code, 'SERVICE_UNAVAILABLE')
        assert.deepEqual(told.body.message, ['The service ELEC_SN_BILL is not available right now'])
        assert.equal(told.headers.get('retry-after'), '1')
      }
      const asked = 'GET /accounts/accountid/42/bills'
      assert.deepEqual(biller.requests, [asked, asked])
    })

  it('is told apart in French, too', async () => {
    biller.answer = () => [200, 'x']
    const { body } = await inquire(gateway, 'ELEC_SN_BILL', '42', french)
    assert.match(body.message[0], /n'est pas disponible pour le moment/)
  })
})

describe('an invalid request', () => {
  // body, what is wrong with it
  const bodies: [object, RegExp[]][] = [
    [{}, [/^serviceCode is required/, /^reference_client is required/]],
    [
      { serviceCode: 'WALLETA_SN_CASHOUT', reference_client: 12 },
      [/^serviceCode must be one of WATER_SN_BILL, /, /^reference_client must be 1 to 64 letters/],
    ],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '' }, [/^reference_client/]],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '../../x' }, [/^reference_client/]],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '1'.repeat(65) }, [/^reference_client/]],
    [{ serviceCode: 'WATER_SN_BILL', reference_client: '1\0' }, [/control or broken/]],
    [{ serviceCode: { toString: 1 }, reference_client: '1' }, [/^serviceCode/]],
  ]
  for (const [body, sentences] of bodies)
    it(JSON.stringify(body).slice(0, 60), async () => {
      const told = await call(gateway, target, body)
      assert.deepEqual([told.status, told.body.success], [400, false], told.text)
      assert.equal(told.body.message.length, sentences.length, told.text)
      sentences.forEach((sentence, at) => assert.match(told.body.message[at], sentence))
      assert.equal(told.body.code, 'VALIDATION_FAILED')
      assert.equal('bills' in told.body, false)
    })

  it('needs a service of the account', async () => {
    const own = { url, ...(await newMerchant()) }
    const { clientId } = own
    const order = { clientId, serviceCode: 'WATER_SN_BILL', actor: 'test' }
    await db.transaction((tx) => changeTerms(tx, clock, { ...order, change: { isEnabled: false } }))
    const { status, body } = await inquire(own, 'WATER_SN_BILL', '100000001')
    assert.deepEqual([status, body.code], [400, 'SERVICE_NOT_ENABLED'])
    assert.equal((await inquire(own, 'PREPAID_SN_BILL', '200000001')).status, 200)
  })
})

it('answers at the short addresses as well', async () => {
  const body = { serviceCode: 'WATER_SN_BILL', reference_client: '100000002' }
  for (const path of ['/v1/billing/inquiry', '/billing/inquiry'])
    assert.equal((await call(gateway, `POST ${path}`, body)).status, 200)
})

it('leaves no trace, whatever came of it', async () => {
  const now = await contentsOf(db)
  for (const table of ['transactions', 'external_ids', 'bill_claims', 'events', 'evidence'])
    assert.deepEqual(now[table], before[table])
})
