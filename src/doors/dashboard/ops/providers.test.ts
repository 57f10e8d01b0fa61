import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAudit } from '#data/db/audit-log.ts'
import { signedInOperator, tokenIn } from '#test/dashboard.ts'
import { call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway()
const { db } = gateway
const operator = await signedInOperator(gateway)
const list = '/dashboard/ops/providers'
const one = `${list}/WALLETA_SN`

/** Orders a collection with Wallet A in Senegal; a payer with this number does nothing. */
const order = (number = '771234567') =>
  call(gateway, 'POST /api/v1/transaction/init', initBody({ number }))

async function lastAudit(): Promise<string> {
  const [last] = await readAudit(db, { clientId: null, before: null, limit: 1 })
  return `${last?.action} ${last?.actor}`
}

describe('pausing a provider', () => {
  it('says what will happen, needs a reason, and acts once', async () => {
    await order('770000004')
    const asked = await operator.get(`${one}/pause`)
    assert.match(
      asked.visible,
      /New payments with Wallet A in Senegal will be refused; 1 open order continues/,
    )
    const bare = await operator.post(`${one}/pause`, { reason: ' ' })
    assert.equal(bare.status, 422)
    assert.match(bare.text, /id="reason-problem"/)
    const reason = xssPayloads[0] ?? ''
    const token = tokenIn(asked.text)
    const send = async () => (await operator.post(`${one}/pause`, { reason }, { token })).location
    assert.deepEqual([await send(), await send()], [one, one])
    assert.equal(await lastAudit(), `provider.pause ${operator.email}`)
    const records = await db`select from audit_log where action = 'provider.pause'`
    assert.equal(records.length, 1)
    const { visible, text } = await operator.get(one)
    assert.match(visible, /is paused, everywhere within a second/)
    assert.ok(!text.includes('<script>__xss'))
    assert.match((await operator.get(list)).visible, /Wallet A · SN Paused/)
    await eventually('orders are refused', async () => (await order()).status === 503)
  })

  it('ends when it is resumed, once', async () => {
    const asked = await operator.get(`${one}/resume`)
    assert.match(asked.visible, /will be accepted again; it is asked about \d+ open order/)
    assert.equal((await operator.post(`${one}/resume`)).location, one)
    await eventually('orders are taken', async () => (await order()).status === 201)
    const again = await operator.post(`${one}/resume`)
    assert.equal(again.status, 422)
    assert.match(again.visible, /is not paused/)
    assert.equal((await operator.get(`${list}/WALLETZ_SN`)).status, 404)
    assert.equal((await operator.get(`${list}/WALLETZ_SN/pause`)).status, 404)
  })
})

describe('asking about open orders', () => {
  it('brings them forward, also for support, who cannot pause', async () => {
    const { body } = await order('770000004')
    const id = String(body.transaction.transactionId)
    await gateway.sweeper.stop()
    await db`update transactions set due_at = now() + interval '1 hour' where id = ${id}`
    const support = await signedInOperator(gateway, 'support-operator')
    const page = await support.get(one)
    assert.match(page.text, /\/requery"/)
    assert.doesNotMatch(page.text, /\/pause"/)
    assert.match(
      (await support.get(`${one}/requery`)).visible,
      /asked now about .*open orders?.*paid twice/,
    )
    assert.equal((await support.post(`${one}/requery`)).location, one)
    assert.match((await support.get(one)).visible, /Orders brought forward: 1\./)
    assert.equal(await lastAudit(), `provider.requery ${support.email}`)
    const [row] = await db<{ isSoon: boolean }>`
      select due_at < now() + interval '1 minute' as "isSoon" from transactions where id = ${id}`
    assert.equal(row?.isSoon, true)
    const auditor = await signedInOperator(gateway, 'auditor')
    assert.doesNotMatch((await auditor.get(one)).text, /\/(requery|pause)"/)
    await assertMoney(gateway)
  })
})

it('French operators read it in French', async () => {
  const person = await signedInOperator(gateway, 'operator', 'fr')
  const { visible } = await person.get(`${list}/WALLETB_CI/pause`)
  assert.match(visible, /Les nouveaux paiements avec Wallet B en Côte d’Ivoire seront refusés/)
})
