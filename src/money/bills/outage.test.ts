import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inquire, pay, payBody } from '#test/bills.ts'
import { type Answer, balance, call, liveGateway, post } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, lab, proxy, url } = gateway
const merchant = async () => ({ url, ...(await gateway.newMerchant()) })

function assertUnavailable({ status, body, headers, text }: Answer, service: string): void {
  assert.equal(status, 503, text)
  assert.equal(body.code, 'SERVICE_UNAVAILABLE')
  assert.deepEqual(body.message, [`The service ${service} is not available right now`])
  assert.equal(headers.get('retry-after'), '1')
}

describe('a biller that is down', { concurrency: true }, () => {
  // what it does, customer, amount
  for (const [connector, provider, mode, customer, amount] of [
    ['gsma', 'WATER', 'refuse', '100000002', undefined],
    ['gsma', 'ELEC', 'error', '100000002', undefined],
    ['top-up', 'PREPAID', 'hang', '200000001', 5000],
  ] as const)
    it(`(${provider}, ${mode}) is not available, for known and unknown customers`, async () => {
      const caller = await merchant()
      const service = `${provider}_SN_BILL`
      const outage = (seconds: number) =>
        post(`${lab.url}/lab/outage`, { connector, provider, mode, seconds })
      const body = () => payBody({ serviceCode: service, reference_client: customer, amount })
      const used = body()
      const first = await pay(caller, used)
      assert.equal(first.status, 201, first.text)
      const left = await balance(caller)

      await outage(600)
      const wave = () =>
        Promise.all([
          ...[customer, '999999999'].map((one) => inquire(caller, service, one)),
          ...Array.from({ length: 10 }, () => pay(caller, body())),
        ])
      for (const answer of await wave()) assertUnavailable(answer, service)
      // The breaker opens: requests are no longer sent.
      const requestCount = () =>
        proxy.requests.filter((request) => request.includes(`/${provider}/`)).length
      await eventually('the breaker opens', async () => {
        const before = requestCount()
        for (const answer of await wave()) assertUnavailable(answer, service)
        return requestCount() - before < 3
      })
      // A repeated request is still answered with its record.
      const again = await pay(caller, used)
      assert.deepEqual([again.status, again.body.transaction], [409, first.body.transaction])
      assert.equal(await balance(caller), left)
      const { body: list } = await call(caller, 'GET /api/v1/api-services/services')
      const listed = list.services.find(
        (one: { serviceCode: string }) => one.serviceCode === service,
      )
      assert.equal(listed.available, false)

      await outage(0)
      const isBack = async () => (await inquire(caller, service, customer)).status === 200
      await eventually('the biller is back', isBack)
      assert.equal((await inquire(caller, service, '999999999')).status, 400)
      const rows = await db`select from transactions where client_id = ${caller.clientId}`
      assert.equal(rows.length, 1)
    })
})

describe('a biller that refuses connections', () => {
  it('is answered as unavailable, not as an unknown customer', async () => {
    const caller = await merchant()
    await proxy.refuseConnections()
    for (const [service, customer] of [
      ['WATER_SN_BILL', '100000002'],
      ['PREPAID_SN_BILL', '200000001'],
    ] as const) {
      assertUnavailable(await inquire(caller, service, customer), service)
      const body = payBody({ serviceCode: service, reference_client: customer, amount: 500 })
      assertUnavailable(await pay(caller, body), service)
      const looked = await call(caller, `GET /api/v1/transaction/${body.externalTransactionId}`)
      assert.equal(looked.status, 404)
    }
    await proxy.acceptConnections()
    assert.equal((await inquire(caller, 'WATER_SN_BILL', '100000002')).status, 200)
  })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
