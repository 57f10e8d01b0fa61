import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { roles } from '#merchants/people/rights.ts'
import { pay as payBill, topUpBody } from '#test/bills.ts'
import { signedInAs, testPassword, tokenIn } from '#test/dashboard.ts'
import { call, collected, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 50 })
const { db, clientId } = gateway
const init = 'POST /api/v1/transaction/init'
const receiver = await openReceiver()
after(() => receiver.close())
const callBackURL = `${receiver.url}/hook`
const owner = await signedInAs(gateway, 'owner')
const support = await signedInAs(gateway, 'support')
const pathOf = (id: string) => `/dashboard/transactions/${id}`

async function start(change: object): Promise<string> {
  const { body } = await call(gateway, init, initBody(change))
  return String(body.transaction.transactionId)
}

const textOf = async (path: string, person = owner) =>
  (await person.get(path)).visible.replaceAll(/[\u202f\u00a0]/g, ' ').replaceAll('&quot;', '"')

const refundsOf = async (id: string) =>
  db<{ amount: number; externalId: string; reason: string | null; keyId: string }>`
    select amount, external_id as "externalId", reason, key_id as "keyId" from transactions
    where original_id = ${id} order by id`

describe('the page of a transaction', async () => {
  const paid = await collected(gateway, { amount: 7500, callBackURL })

  it('shows amounts, states, evidence, money, event and the answer of the interface', async () => {
    await eventually('the event is delivered', async () =>
      /HTTP 200/.test(await textOf(pathOf(paid))),
    )
    const text = await textOf(pathOf(paid))
    const shown = await call(gateway, `GET /api/v1/transaction/${paid}`)
    for (const expected of [
      'Collection · Wallet A · SN',
      '7 500 F CFA',
      '150 F CFA',
      '7 350 F CFA',
      'Request recorded',
      'The provider confirmed',
      'Attempt 1',
      'Paid',
      'Collected',
      'Balance before',
      `POST ${callBackURL}`,
      'HTTP 200',
      '"STATUS": "SUCCESS"',
      `/api/v1/transaction/${paid}`,
      '"OperatorApi"',
      JSON.stringify(shown.body.transaction.OperatorApi),
      ' Refund Receipt to print',
    ])
      assert.ok(text.includes(expected), expected)
    // Other payments of this file may have come first: what counts is the difference.
    const [, before = '', after = ''] = /7 350 F CFA ([\d ]+) F CFA ([\d ]+) F CFA/.exec(text) ?? []
    const francs = (figure: string) => Number(figure.replaceAll(' ', ''))
    assert.equal(francs(after) - francs(before), 7350, text)
    // Whichever comes first.
    assert.match(text, /Provider’s callback|Status checked with the provider/)
  })

  it('says in words why one failed', async () => {
    const id = await start({ number: '770000001' })
    await until(gateway, id, isEnd)
    const text = await textOf(pathOf(id))
    assert.match(text, /Reason for failure The customer's balance is too low. Nothing was coll/)
  })

  it('says of a payout under way that its money is reserved', async () => {
    const steps = [{ do: 'delay', ms: 50_000 }, { do: 'succeed' }, { do: 'callback' }]
    for (const [number, serviceCode, said] of [
      ['778880001', 'WALLETA_SN_CASHIN', /The money is held on your account/],
      ['778880002', 'WALLETA_SN_CASHOUT', /Waiting for the customer to pay/],
    ] as const) {
      await script(gateway, number, steps)
      assert.match(await textOf(pathOf(await start({ number, serviceCode }))), said)
    }
  })

  it('says in words that an outcome is unknown, and asks the provider when told to', async () => {
    const steps = [{ do: 'lose_answer' }, { do: 'delay', ms: 50_000 }, { do: 'succeed' }]
    await script(gateway, '770000077', steps)
    const id = await start({ number: '770000077', serviceCode: 'WALLETA_SN_CASHIN' })
    // As it is before the sweeper asks, however late this test is.
    await db`update transactions set attempt_state = 'unknown', due_at = due_at + interval '1 hour'
      where id = ${id}`
    assert.equal(await until(gateway, id, (status) => status !== 'PENDING'), 'PROCESSING')
    assert.match(
      await textOf(pathOf(id)),
      /not confirmed the outcome yet.*Do not pay again.*answer was lost/,
    )
    const { location } = await support.post(`${pathOf(id)}/requery`, {}, { from: pathOf(id) })
    assert.equal(location, pathOf(id))
    assert.match(await textOf(pathOf(id), support), /The provider (answered|has no result yet)/)
    assert.match(await textOf(pathOf(id)), /Status checked with the provider/)
    await db`update transactions set due_at = now() where id = ${id} and due_at is not null`
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })

  it('sends the event again', async () => {
    const before = receiver.got.length
    const { location } = await support.post(`${pathOf(paid)}/resend`, {}, { from: pathOf(paid) })
    assert.equal(location, pathOf(paid))
    await eventually('it arrives', () => receiver.got.length === before + 1)
  })

  it('masks numbers for support wherever they stand', async () => {
    const { text } = await support.get(pathOf(paid))
    assert.doesNotMatch(text, /771234567/)
    assert.match(text, /••••••67/)
    assert.match(text, /PHONE_NUMBER/)
    assert.doesNotMatch(text, /Balance before/)
  })

  it('shows a recharge code to those who may give it to a customer', async () => {
    const { body } = await payBill(gateway, topUpBody())
    const { transactionId, token } = body.transaction
    const digits = String(token)
    assert.match(digits, /^[\d -]{16,}$/, JSON.stringify(body))
    assert.ok((await textOf(pathOf(transactionId))).includes(digits))
    const viewer = await signedInAs(gateway, 'viewer')
    assert.ok(!(await textOf(pathOf(transactionId), viewer)).includes(digits))
  })

  it('is a receipt to print, which is no proof of what was not paid', async () => {
    const receipt = await textOf(`${pathOf(paid)}/receipt`)
    assert.match(receipt, /Receipt .* 7 500 F CFA/)
    assert.doesNotMatch(receipt, /771234567|no proof/)
    const open = await start({ number: '770000003' })
    assert.match(await textOf(`${pathOf(open)}/receipt`), /not a proof of payment/)
  })

  it("of another merchant's id is a 404, as are its actions and what is no id", async () => {
    const other = await gateway.newMerchant()
    const stranger = await signedInAs({ ...gateway, ...other }, 'owner')
    const token = tokenIn((await stranger.get('/dashboard')).text)
    const missing = '01a1e5fd-0000-7000-8000-000000000000'
    for (const id of [paid, missing, 'nonsense', "x'y"]) {
      for (const page of ['', '/receipt', '/refund'])
        assert.equal((await stranger.get(`${pathOf(id)}${page}`)).status, 404, `${id}${page}`)
      for (const page of ['/refund', '/requery', '/resend']) {
        const { status } = await stranger.post(`${pathOf(id)}${page}`, { amount: '1' }, { token })
        assert.equal(status, 404, `${id}${page}`)
      }
    }
    assert.deepEqual(await refundsOf(paid), [])
  })

  it('shows texts as texts, whatever they are', async () => {
    const payloads = xssPayloads.filter((one) => /[<>"']/.test(one) && !/[\t\n\r\f\0]/.test(one))
    const id = await collected(gateway, { externalTransactionId: payloads.join('').slice(0, 128) })
    const reason = payloads.join(' ').slice(0, 500)
    const query = new URLSearchParams({ amount: '200', reason }).toString()
    const review = await owner.get(`${pathOf(id)}/refund?${query}`)
    const sent = await owner.post(
      `${pathOf(id)}/refund`,
      { amount: '200', reason },
      { token: tokenIn(review.text) },
    )
    const pages = [pathOf(id), `${pathOf(id)}/receipt`, sent.location ?? '']
    for (const text of [review.text, ...(await Promise.all(pages.map((one) => textAt(one))))])
      for (const payload of payloads.slice(0, 10)) assert.ok(!text.includes(payload), payload)
  })
})

const textAt = async (path: string) => (await owner.get(path)).text

describe('a refund', () => {
  it('is reviewed first, then made once, by the key of the payment', async () => {
    const id = await collected(gateway, { amount: 5000 })
    const path = `${pathOf(id)}/refund`
    assert.match(await textOf(path), /Remaining refundable 5 000 F CFA/)
    const shown = await textOf(`${path}?amount=500&reason=x`)
    assert.match(shown, /Number refunded 7.*Paid \d.*\d\d:\d\d:\d\d.*Our reference/)
    assert.ok(shown.includes(id))
    const review = await owner.get(`${path}?amount=2+000&reason=cass%C3%A9`)
    assert.match(review.visible.replaceAll(/[\u202f\u00a0]/g, ' '), /Amount refunded 2 000 F CFA/)
    assert.deepEqual(await refundsOf(id), [])
    const token = tokenIn(review.text)
    const fields = { amount: '2000', reason: 'cassé' }
    const answers = [
      await owner.post(path, fields, { token }),
      await owner.post(path, fields, { token }),
    ]
    const [refund, ...more] = await refundsOf(id)
    assert.deepEqual(more, [])
    const [payment] = await db<{ keyId: string }>`
      select key_id as "keyId" from transactions where id = ${id}`
    assert.deepEqual(
      { ...refund, keyId: refund?.keyId === payment?.keyId },
      {
        amount: 2000,
        externalId: `dash-${token.split('.')[0]}`,
        reason: 'cassé',
        keyId: true,
      },
    )
    assert.equal(answers[0]?.status, 303)
    assert.equal(answers[0]?.location, answers[1]?.location)
    assert.match(
      await textOf(pathOf(id)),
      /Refunded so far 2 000 F CFA Remaining refundable 3 000 F CFA/,
    )
    assert.match(await textOf(answers[0]?.location ?? ''), new RegExp(`Refunded payment ${id}`))
  })

  it('of a form whose process died after the refund is that refund', async () => {
    const id = await collected(gateway, { amount: 5000 })
    const path = `${pathOf(id)}/refund`
    const token = tokenIn((await owner.get(`${path}?amount=5000`)).text)
    await owner.post(path, { amount: '5000' }, { token })
    // What is left of the form when the process dies before it is marked as done.
    await db`delete from form_submissions where token = ${token.split('.')[0]}`
    const again = await owner.post(path, { amount: '5000' }, { token })
    assert.equal(again.status, 303)
    assert.equal((await refundsOf(id)).length, 1)
    assert.equal((await owner.get(path)).status, 409)
  })

  it('with a wrong amount comes back filled in', async () => {
    const id = await collected(gateway, { amount: 5000 })
    const path = `${pathOf(id)}/refund`
    for (const amount of ['0', '5001', '-1', '1.5', 'x', '', '1e3', '99999999999']) {
      const { status, text } = await owner.get(`${path}?amount=${amount}`)
      assert.equal(status, 422, amount)
      assert.match(text, new RegExp(`name="amount"[^>]*value="${amount}"`))
      const token = tokenIn((await owner.get('/dashboard')).text)
      assert.equal((await owner.post(path, { amount }, { token })).status, 422, amount)
    }
    assert.deepEqual(await refundsOf(id), [])
  })

  it('that the balance does not cover is refused in words', async () => {
    const merchant = await gateway.newMerchant(0)
    const poor = { ...gateway, ...merchant }
    const person = await signedInAs(poor, 'finance')
    const id = await collected(poor, { amount: 1000 })
    const at = `${pathOf(id)}/refund`
    const { status, visible } = await person.post(
      at,
      { amount: '1000' },
      { from: `${at}?amount=1000` },
    )
    assert.equal(status, 422)
    assert.match(visible, /Your balance is too low/)
  })

  it('asks for the password when it was given long ago', async () => {
    const id = await collected(gateway, { amount: 5000 })
    const path = `${pathOf(id)}/refund`
    const person = await signedInAs(gateway, 'finance')
    await db`update sessions set confirmed_at = '2026-01-01'
      where person_id = (select id from people where email = ${person.email})`
    const token = tokenIn((await person.get(`${path}?amount=100`)).text)
    const asked = await person.post(path, { amount: '100' }, { token })
    assert.equal(asked.status, 403)
    assert.match(asked.visible, /enter your password/)
    assert.deepEqual(await refundsOf(id), [])
    const confirmed = await person.post(
      path,
      { amount: '100', 'confirm-password': testPassword },
      { token: tokenIn(asked.text) },
    )
    assert.equal(confirmed.status, 303)
    assert.equal((await refundsOf(id)).length, 1)
  })
})

describe('each role', async () => {
  const id = await collected(gateway, { amount: 5000, callBackURL })
  // action, its right, who may
  const table: [page: string, allowed: string[]][] = [
    ['refund', ['owner', 'admin', 'finance']],
    ['requery', ['owner', 'admin', 'finance', 'developer', 'support']],
    ['resend', ['owner', 'admin', 'developer', 'support']],
  ]
  for (const role of roles)
    it(`${role} can do what it may, and nothing else`, async () => {
      const person = await signedInAs(gateway, role)
      const page = await person.get(pathOf(id))
      assert.equal(page.status, 200)
      const token = tokenIn((await person.get('/dashboard')).text)
      for (const [action, allowed] of table) {
        const path = `${pathOf(id)}/${action}`
        const isAllowed = allowed.includes(role)
        const { status } = await person.post(path, { amount: '' }, { token })
        assert.equal(status === 403, !isAllowed, `${action}: ${status}`)
        if (action === 'refund')
          assert.equal(page.text.includes(`href="${path}"`), isAllowed, 'the way to refund')
        if (action === 'resend') assert.equal(page.text.includes(`action="${path}"`), isAllowed)
      }
    })
})

it('everything that was refunded is booked', async () => {
  await eventually('all refunds have ended', async () => {
    const open = await db`
      select 1 from transactions
      where client_id = ${clientId} and operation = 'REFUND' and completed_at is null`
    return open.length === 0
  })
  await assertMoney(gateway)
})
