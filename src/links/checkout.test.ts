import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'

const gateway = await liveGateway()
const { checkout } = gateway.links
let made = 0

async function newLink(change: object = {}): Promise<string> {
  made += 1
  const told = await call(gateway, 'POST /api/v1/transaction/merchant/get-link', {
    externalTransactionId: `link-${made}`,
    ItemName: 'Panier de légumes',
    ItemPrice: 7500,
    callBackURL: 'http://127.0.0.1:9/hook',
    successUrl: 'http://127.0.0.1:9/ok',
    failureUrl: 'http://127.0.0.1:9/no',
    ...change,
  })
  assert.equal(told.status, 201, told.text)
  return told.body.transactionId
}

async function untilState(id: string, kind: string) {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const view = await checkout.look(id)
    if (view?.state.kind === kind) return view
    assert.ok(waitedMs < 15_000, `still ${JSON.stringify(view?.state)}`)
    await sleep(50)
  }
}

describe('a link is paid', { concurrency: true }, () => {
  for (const [serviceCode, step] of [
    ['WALLETA_SN_CASHOUT', 'push'],
    ['WALLETB_SN_CASHOUT', 'redirect'],
    ['WALLETD_SN_CASHOUT', 'otp'],
    ['WALLETF_CI_CASHOUT', 'push'],
  ] as const)
    it(`with ${serviceCode}`, async () => {
      const id = await newLink()
      assert.equal((await checkout.look(id))?.state.kind, 'choose')
      const result = await checkout.pay(id, { serviceCode, phone: '771234567' })
      assert.deepEqual(result, { kind: 'started' })
      const state = (await checkout.look(id))?.state
      if (state?.kind === 'waiting') assert.equal(state.step, step)
      if (step === 'otp') {
        assert.equal(await checkout.confirm(id, '111111'), 'wrong_code')
        assert.equal(await checkout.confirm(id, '123456'), 'accepted')
      }
      const view = await untilState(id, 'paid')
      assert.equal(view.state.kind === 'paid' && view.state.receipt.amount, 7500)
      const detail = await call(gateway, `GET /api/v1/merchant/${id}`)
      assert.equal(detail.body.transaction.Status, 'SUCCESS')
    })
})

it('moves money once', () => assertMoney(gateway))
