import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'

const gateway = await testGateway()
const { db, clock, secret: key } = gateway
const app = await gateway.start()

// A closed service is told before whatever else is wrong with a request, in every scope.
const scopes: [scope: string, code: string][] = [
  ['all', 'WALLETA_SN_CASHOUT'],
  ['payments', 'WALLETA_SN_CASHOUT'],
  ['payments', 'ELEC_SN_BILL'],
  ['CI', 'WALLETB_CI_CASHIN'],
  ['WALLETA_SN', 'WALLETA_SN_CASHIN'],
  ['OPERATOR1_SN_AIRTIME', 'OPERATOR1_SN_AIRTIME'],
  ['WATER_SN', 'WATER_SN_BILL'],
  ['PREPAID_SN_BILL', 'PREPAID_SN_BILL'],
]
const wrong = [
  {},
  { amount: 1, number: 'x', callBackURL: 5, reference_client: '' },
  { amount: '500', externalTransactionId: 'a\0', customData: {} },
  { sub_merchant_id: 'sm-none' },
]

describe('a request for a closed service', () => {
  for (const [scope, serviceCode] of scopes)
    it(`${serviceCode} (${scope}) gets 403, whatever its body lacks`, async () => {
      await startMaintenance({ db, clock }, { scope, reason: 'works', actor: 'test' })
      const isBill = serviceCode.endsWith('_BILL')
      const paths = isBill ? ['billing/pay', 'billing/inquiry'] : ['transaction/init']
      const send = (path: string, body: object) =>
        app.send(`POST /api/v1/${path}`, { key, json: { serviceCode, ...body } })
      await eventually('it is seen', async () => (await send(paths[0] ?? '', {})).status === 403)
      for (const path of paths)
        for (const body of wrong) {
          const answer = await send(path, body)
          assert.deepEqual(
            [answer.status, answer.body.code],
            [403, 'UNDER_MAINTENANCE'],
            `${path} ${JSON.stringify(body)}`,
          )
        }
      await endMaintenance({ db, clock }, { scope, actor: 'test' })
      await eventually(
        'its end is seen',
        async () => (await send(paths[0] ?? '', {})).status === 400,
      )
    })
})
