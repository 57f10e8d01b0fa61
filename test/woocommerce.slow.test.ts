import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { liveGateway } from './live.ts'
import { assertMoney } from './money.ts'
import { missing } from './needs.ts'
import { openReceiver } from './receiver.ts'

const prices = [5000, 5000, 5000, 5000, 200, 1_000_000, 12_500, 7500]

describe("the provider's plugin for WooCommerce", { skip: missing('php') }, async () => {
  const gateway = await liveGateway({ pace: 10 })
  const receiver = await openReceiver()
  const callback = `${receiver.url}/wc-api/gateway`
  let paid = ''

  it('creates a link for each order, whatever the shop calls a total', async () => {
    // The folder of the plugin, where somebody has it; otherwise what it sends is written here.
    const plugin = process.env.WOOCOMMERCE_PLUGIN ?? ''
    const words = ['test/files/woocommerce.php', gateway.url, gateway.secret, callback, plugin]
    const { stdout } = await promisify(execFile)('php', words)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      answers.map(([status, { message, transaction }]) => [
        status,
        typeof transaction?.transactionId,
        URL.canParse(transaction?.PaymentUrl) ? '' : message,
      ]),
      prices.map(() => [201, 'string', '']),
    )
    const rows = await gateway.db<{ amount: number }>`
      select amount from links order by external_id`
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      prices,
    )
    paid = answers[0]?.[1].transaction.transactionId
  })

  it('is told of a payment in the fields that it reads', async () => {
    const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
    assert.deepEqual(await gateway.links.checkout.pay(paid, order), { kind: 'started' })
    const [got] = await receiver.has(1)
    const { id, externalTransactionId, STATUS, AMOUNT, COMPLETED_AT } = JSON.parse(got?.body ?? '')
    assert.deepEqual([id, externalTransactionId, STATUS, AMOUNT], [paid, '1041', 'SUCCESS', 5000])
    assert.ok(!Number.isNaN(Date.parse(COMPLETED_AT)))
  })

  it('leaves the books in order', () => assertMoney(gateway))
})
