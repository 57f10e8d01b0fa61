import assert from 'node:assert/strict'
import { it } from 'node:test'
import { killableGateway } from '#test/killable-gateway.ts'
import { getLink, linkBody } from '#test/links.ts'
import { call, ordersByTransaction } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const gateway = await killableGateway()
const { caller, db, lab } = gateway

const wallets = ['WALLETA_SN_CASHOUT', 'WALLETF_CI_CASHOUT', 'WALLETB_SN_CASHOUT']
const numbers = ['771234567', '770000001', '770000006', '770000009', '770000011']
const acknowledged = new Set<string>()
let begun = 0

/** Creates links and pays each through the form of its page, until the process dies. */
async function sell(): Promise<void> {
  for (;;) {
    const answer = await call(caller, getLink, linkBody()).catch(() => undefined)
    if (answer === undefined) return
    assert.equal(answer.status, 201, answer.text)
    acknowledged.add(answer.body.transactionId)
    begun += 1
    const serviceCode = wallets[begun % wallets.length] ?? ''
    const phone = numbers[begun % numbers.length] ?? ''
    const form = new URLSearchParams({ serviceCode, country: serviceCode.slice(8, 10), phone })
    const page = `${answer.body.PaymentUrl}/pay`
    // Twice, as by an impatient payer.
    const posts = [0, 1].map(() =>
      fetch(page, { method: 'POST', body: form, redirect: 'manual' }).then(({ status }) => status),
    )
    const statusCodes = await Promise.all(posts).catch(() => undefined)
    if (statusCodes === undefined) return
    for (const status of statusCodes) assert.equal(status, 303)
  }
}

it('a gateway killed under load pays no link twice and loses none', async () => {
  for (let kill = 0; kill < sized(1, 1, 4); kill += 1) {
    await gateway.start()
    const enough = acknowledged.size + 30 + 4 * kill
    const selling = Promise.all(Array.from({ length: 6 }, sell))
    await eventually('enough links', () => acknowledged.size >= enough)
    await Promise.all([gateway.kill(), selling])
  }
  await gateway.recover()
  const rows = await db<{ id: string; status: string; payments: string[] }>`
    select l.id, l.status, array_agg(t.id::text) filter (where t.id is not null) as payments
    from links l left join transactions t on (t.client_id, t.link_id) = (l.client_id, l.id)
    group by l.client_id, l.id`
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  for (const id of acknowledged) assert.ok(statuses.has(id), `${id} is lost`)
  const orders = await ordersByTransaction({ db, lab })
  for (const { id, status, payments } of rows) {
    const own = (payments ?? []).flatMap((payment) => orders.get(payment) ?? [])
    const executed = own.reduce((sum, order) => sum + order.executed, 0)
    assert.equal(executed, status === 'SUCCESS' ? 1 : 0, `${id} ${status}: ${executed} times`)
    assert.ok((payments ?? []).length <= 1)
  }
  assert.ok(rows.filter(({ status }) => status === 'SUCCESS').length > 10)
  await assertMoney({ db, lab })
})
