import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { services as catalogue } from '#merchants/catalog/services.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'

interface Listed {
  serviceCode: string
  serviceName: string
  serviceType: string
  country: string
  available: boolean
}

const gateway = await testGateway()
const { db, clock, merchant, newKey, secret } = gateway
const app = await gateway.start()
const code = 'WALLETA_SN_CASHOUT'

async function list(key = secret): Promise<Listed[]> {
  const { status, body } = await app.send('GET /api/v1/api-services/services', { key })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['services'])
  return body.services as Listed[]
}

const unavailable = async () =>
  (await list()).filter(({ available }) => !available).map(({ serviceCode }) => serviceCode)

describe('the list of services', () => {
  it('has every service of the catalogue for a client that may use them all', async () => {
    const listed = await list()
    assert.deepEqual(
      listed.map(({ serviceCode }) => serviceCode),
      catalogue.map((service) => service.code),
    )
    assert.deepEqual(
      listed.find(({ serviceCode }) => serviceCode === code),
      {
        serviceName: 'Wallet A Cash Out Senegal',
        serviceCode: code,
        serviceType: 'MOBILEMONEY',
        country: 'SN',
        available: true,
      },
    )
  })

  const types: [serviceCode: string, serviceType: string, country: string][] = [
    ['WALLETB_CI_CASHIN', 'MOBILEMONEY', 'CI'],
    ['WALLETF_CM_CASHOUT', 'MOBILEMONEY', 'CM'],
    ['OPERATOR3_SN_AIRTIME', 'AIRTIME', 'SN'],
    ['PREPAID_SN_BILL', 'BILL', 'SN'],
  ]
  for (const [serviceCode, serviceType, country] of types)
    it(`shows ${serviceCode} as ${serviceType} in ${country}`, async () => {
      const found = (await list()).find((one) => one.serviceCode === serviceCode)
      assert.deepEqual([found?.serviceType, found?.country], [serviceType, country])
    })

  it('has only the services that are enabled for the client', async () => {
    const clientId = await merchant(0)
    const { secret: key } = await newKey(clientId)
    const change = (serviceCode: string, isEnabled: boolean) =>
      db.transaction((tx) =>
        changeTerms(tx, { clock }, { clientId, serviceCode, change: { isEnabled }, actor: 'test' }),
      )
    await change('all', false)
    assert.deepEqual(await list(key), [])
    await change(code, true)
    assert.deepEqual(
      (await list(key)).map(({ serviceCode }) => serviceCode),
      [code],
    )
    assert.equal((await list()).length, catalogue.length)
  })

  it('marks a service as not available while it is in maintenance, and no other', async () => {
    assert.deepEqual(await unavailable(), [])
    await startMaintenance({ db, clock }, { scope: code, reason: 'works', actor: 'test' })
    await eventually('the maintenance is seen', async () => (await unavailable()).length > 0)
    assert.deepEqual(await unavailable(), [code])
    await endMaintenance({ db, clock }, { scope: code, actor: 'test' })
    await eventually('its end is seen', async () => (await unavailable()).length === 0)
  })

  it('is refused while the interface is in maintenance; probes and documents are not', async () => {
    const statusOf = async (target: string, key: string | null = secret) =>
      (await app.send(target, { key })).status
    await startMaintenance({ db, clock }, { scope: 'all', reason: 'works', actor: 'test' })
    const services = 'GET /v1/api-services/services'
    await eventually('the maintenance is seen', async () => (await statusOf(services)) === 403)
    assert.equal(await statusOf('GET /api-services/balance'), 403)
    assert.equal(await statusOf(services, null), 401)
    for (const open of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs/'])
      assert.equal(await statusOf(`GET ${open}`), 200, open)
    await endMaintenance({ db, clock }, { scope: 'all', actor: 'test' })
    await eventually('its end is seen', async () => (await statusOf(services)) === 200)
  })
})
