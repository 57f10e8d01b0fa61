import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { type Service, services } from '#merchants/catalog/services.ts'
import { payBody } from '#test/bills.ts'
import { signedInAs } from '#test/dashboard.ts'
import { newLink } from '#test/links.ts'
import { balance, call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { changeTerms } from './terms.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, links } = gateway

type Change = Parameters<typeof changeTerms>[2]['change']

const setTerms = (clientId: number, serviceCode: string, change: Change) =>
  db.transaction((tx) =>
    changeTerms(tx, { clock }, { clientId, serviceCode, change, actor: 'ops' }),
  )

/** A merchant of which nothing is cached yet, with terms of its own for a service. */
async function merchantWith({ code }: Pick<Service, 'code'>, change: Change) {
  const merchant = { url, ...(await gateway.newMerchant()) }
  await setTerms(merchant.clientId, code, change)
  return merchant
}

type Merchant = Awaited<ReturnType<typeof merchantWith>>

const numbers: Record<string, string> = { ML: '070123456', CI: '712345678', CM: '671234567' }
const isBill = ({ operation, isPrepaid }: Service) => operation === 'BILL' && !isPrepaid

/** Pays with a service; a bill imposes its amount. */
async function pay(
  merchant: Merchant,
  service: Service,
  amount: number,
  reference_client = '100000001',
) {
  const { code: serviceCode, operation, isPrepaid, country } = service
  const meter = { reference_client: '200000001', amount }
  const { status, body } =
    operation === 'BILL'
      ? await call(
          merchant,
          'POST /api/v1/billing/pay',
          payBody({ serviceCode, reference_client, ...(isPrepaid ? meter : {}) }),
        )
      : await call(
          merchant,
          'POST /api/v1/transaction/init',
          initBody({ serviceCode, amount, number: numbers[country] ?? '771234567' }),
        )
  return { status, code: body.code ?? '', body }
}

/** What the biller of a service asks of the customer that is paid for now. */
async function amountDue({ code: serviceCode }: Service): Promise<number> {
  const wanted = { serviceCode, reference_client: '100000001' }
  const { body } = await call(gateway, 'POST /api/v1/billing/inquiry', wanted)
  return body.bills.find((one: { paid: boolean }) => !one.paid).montant
}

for (const service of services)
  describe(service.code, () => {
    it('is paid within the limits of the account, and refused beyond', async () => {
      const due = isBill(service) ? await amountDue(service) : 1000
      // limits, amount, whether it is paid
      const rows: [Change, number, boolean][] = [
        [{ amountMin: due + 1 }, due, false],
        [{ amountMax: due - 1 }, due, false],
        [{ amountMin: due, amountMax: due }, due, true],
      ]
      for (const [limits, amount, isPaid] of rows) {
        const merchant = await merchantWith(service, limits)
        const before = await balance(merchant)
        const { status, code, body } = await pay(merchant, service, amount)
        const what = `${JSON.stringify(limits)} ${JSON.stringify(body)}`
        assert.deepEqual([status, code], isPaid ? [201, ''] : [400, 'INVALID_AMOUNT'], what)
        if (isPaid) continue
        assert.equal(await balance(merchant), before)
        if (isBill(service)) assert.deepEqual([body.transaction.Status], ['FAILED'])
      }
    })

    it('costs what is set for it', async () => {
      const fee = { fixed: 37, basisPoints: 0 }
      if (service.type === 'AIRTIME')
        await assert.rejects(merchantWith(service, fee), { message: /costs 1 % for every client/ })
      const merchant = await merchantWith(service, service.type === 'AIRTIME' ? {} : fee)
      const { status, body } = await pay(merchant, service, 1050, '100000002')
      // 1 % of 1,050 is 10.5: half a franc is rounded up.
      const expected = service.type === 'AIRTIME' ? 11 : 37
      assert.deepEqual([status, body.transaction.transactionFee], [201, expected])
    })

    it('is refused while it is disabled', async () => {
      const merchant = await merchantWith(service, { isEnabled: false })
      const { status, code } = await pay(merchant, service, 1000)
      assert.deepEqual([status, code], [400, 'SERVICE_NOT_ENABLED'])
    })

    if (service.operation === 'CASHOUT')
      it('is offered on links within the limits of the account alone', async () => {
        for (const [change, isOffered] of [
          [{ amountMin: 7501 }, false],
          [{ amountMax: 7499 }, false],
          [{ amountMin: 7500, amountMax: 7500 }, true],
          [{ isEnabled: false }, false],
        ] as const) {
          const view = await links.checkout.look(await newLink(await merchantWith(service, change)))
          const offered = view?.wallets.map(({ serviceCode }) => serviceCode) ?? []
          assert.equal(offered.includes(service.code), isOffered, JSON.stringify(change))
        }
      })
  })

describe('a bill beyond the limits of the account', () => {
  const water = { kind: 'bill', service: 'WATER_SN_BILL', to: '100000002' }
  const review = `/dashboard/pay?${new URLSearchParams({ ...water, step: 'review' }).toString()}`

  it('is refused in words of the caller, and where it is paid by hand', async () => {
    const merchant = await merchantWith({ code: water.service }, { amountMax: 1000 })
    const body = payBody({ reference_client: water.to })
    const language = { 'Accept-Language': 'fr' }
    const { body: refused } = await call(merchant, 'POST /api/v1/billing/pay', body, language)
    assert.match(refused.message, /FCFA est plus que ce que votre compte peut payer en une fois/)
    assert.equal(refused.transaction.message, refused.message)
    const found = await call(merchant, `GET /api/v1/transaction/${body.externalTransactionId}`)
    assert.equal(found.status, 404)
    const person = await signedInAs({ ...gateway, ...merchant }, 'owner')
    const { visible } = await person.get(review)
    assert.match(visible, /more than your account may pay at once: at most 1000 FCFA/)
  })
})

it('a fee for all services leaves airtime as it is', async () => {
  const { clientId } = await gateway.newMerchant()
  const changed = await setTerms(clientId, 'all', { fixed: 50, basisPoints: 0 })
  for (const { serviceCode, fixed } of changed)
    assert.equal(fixed, serviceCode.endsWith('AIRTIME') ? 0 : 50, serviceCode)
})

it('and the money of all is where it belongs', async () => {
  await eventually('all but those that wait for a payer have ended', async () => {
    const rows = await db`
      select from transactions
      where completed_at is null and service_code not like '%CASHOUT' limit 1`
    return rows.length === 0
  })
  await assertMoney(gateway)
})
