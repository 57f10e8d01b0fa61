import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { object } from '../fields.ts'
import type { Body } from '../router.ts'
import { newKey, openTestLab, until } from '../test-lab.ts'

const lab = await openTestLab()
const at = '/checkout-session/WALLETB/SN/v1'
const key = { authorization: 'Bearer any' }
const [yes, no] = ['https://shop.example/yes?a=1', 'https://shop.example/no']

const create = async (change: Body = {}) =>
  (
    await lab.send(
      `POST ${at}/checkout/sessions`,
      { amount: '500', currency: 'XOF', success_url: yes, error_url: no, ...change },
      key,
    )
  ).body
const read = async (id: unknown) =>
  (await lab.send(`GET ${at}/checkout/sessions/${String(id)}`, undefined, key)).body
const act = (id: unknown, act: string) => lab.send(`POST /checkout/${String(id)}/${act}`)
const end = (id: unknown) =>
  until(
    () => read(id),
    ({ payment_status }) => payment_status !== 'processing',
  )
const states = ({ checkout_status, payment_status, last_payment_error }: Body) => [
  checkout_status,
  payment_status,
  object(last_payment_error).code,
]

describe('checkout-session', { concurrency: true }, () => {
  it('a session is open, then approves itself', async () => {
    const session = await create({ client_reference: newKey(), aggregated_merchant_id: 'Chez Awa' })
    assert.deepEqual(states(session), ['open', 'processing', undefined])
    assert.equal(session.launch_url, `${lab.url}/checkout/${String(session.id)}`)
    const done = await end(session.id)
    assert.deepEqual(states(done), ['complete', 'succeeded', undefined])
    assert.match(String(done.transaction_id), /^TCN\d+$/)
    assert.deepEqual([done.amount, done.currency], ['500', 'XOF'])
  })

  for (const [number, expected] of [
    ['770000001', ['complete', 'cancelled', 'insufficient-funds']],
    ['770000002', ['complete', 'cancelled', undefined]],
    ['770000003', ['expired', 'cancelled', undefined]],
    ['770000013', ['complete', 'cancelled', 'payment-failure']],
  ] as const)
    it(`a session of ${number} ends ${expected.filter(Boolean).join(', ')}`, async () => {
      const { id } = await create({ restrict_payer_mobile: `+221${number}` })
      assert.deepEqual(states(await end(id)), expected)
    })

  it('the payer approves or refuses on the payment page', async () => {
    const silent = { restrict_payer_mobile: '+221770000005', aggregated_merchant_id: '<b>"x' }
    const approved = await create(silent)
    const page = await lab.send(`GET /checkout/${String(approved.id)}`)
    assert.equal(page.status, 200)
    assert.match(page.text, /Approuver[\s\S]+Approve[\s\S]+Refuser[\s\S]+Refuse/)
    assert.match(page.text, /&#60;b&#62;&#34;x/)
    const onwards = await act(approved.id, 'approve')
    assert.deepEqual([onwards.status, onwards.headers.location], [303, yes])
    assert.equal((await read(approved.id)).payment_status, 'succeeded')
    assert.equal((await lab.send(`GET /checkout/${String(approved.id)}`)).headers.location, yes)

    const refused = await create(silent)
    assert.equal((await act(refused.id, 'refuse')).headers.location, no)
    assert.deepEqual(states(await read(refused.id)), ['complete', 'cancelled', undefined])
    assert.equal((await act(refused.id, 'approve')).headers.location, no)
    assert.equal((await lab.send('GET /checkout/cos-1')).status, 404)
  })

  it('a session can be expired only while it is open', async () => {
    const { id } = await create({ restrict_payer_mobile: '+221770000004' })
    const expire = () =>
      lab.send(`POST ${at}/checkout/sessions/${String(id)}/expire`, undefined, key)
    assert.equal((await expire()).status, 200)
    assert.deepEqual(states(await read(id)), ['expired', 'cancelled', undefined])
    assert.equal((await expire()).status, 409)
  })

  it('a session is refunded in parts, once for each key, never above what was paid', async () => {
    const { id } = await create({ restrict_payer_mobile: '221770000005' })
    const refund = (amount?: string, idempotencyKey = newKey()) =>
      lab.send(
        `POST ${at}/checkout/sessions/${String(id)}/refund`,
        amount ? { amount } : undefined,
        {
          ...key,
          'idempotency-key': idempotencyKey,
        },
      )
    assert.equal((await refund()).body.code, 'checkout-refund-failed')
    await act(id, 'approve')
    const used = newKey()
    for (const _ of [1, 2]) {
      const answer = await refund('300', used)
      assert.deepEqual([answer.status, answer.body], [200, {}])
    }
    assert.equal((await read(id)).refunded_amount, '300')
    assert.equal((await refund('201')).status, 400)
    assert.equal((await refund()).status, 200)
    assert.equal((await read(id)).refunded_amount, '500')
    assert.equal((await refund()).status, 400)
  })

  it('the same key and body return the same payout, another body is a conflict', async () => {
    const idempotencyKey = newKey()
    const pay = (change: Body = {}) =>
      lab.send(
        `POST ${at}/payout`,
        { currency: 'XOF', receive_amount: '500', mobile: '+221771234567', ...change },
        { ...key, 'idempotency-key': idempotencyKey },
      )
    const first = await pay()
    assert.equal(first.body.status, 'processing')
    assert.equal((await pay()).body.id, first.body.id)
    assert.equal((await pay({ receive_amount: '501' })).status, 409)
    const { body } = await until(
      () => lab.send(`GET ${at}/payout/${String(first.body.id)}`, undefined, key),
      ({ body }) => body.status === 'succeeded',
    )
    assert.deepEqual([body.receive_amount, body.fee, body.payout_error], ['500', '0', undefined])
    assert.equal((await lab.booked(idempotencyKey)).length, 1)
  })

  it('a failed payout has an error code', async () => {
    for (const [number, code] of [
      ['770000001', 'insufficient-funds'],
      ['770000002', 'recipient-refused'],
      ['770000003', 'payout-failed'],
    ]) {
      const order = { currency: 'XOF', receive_amount: '500', mobile: `+221${number}` }
      const accepted = await lab.send(`POST ${at}/payout`, order, {
        ...key,
        'idempotency-key': newKey(),
      })
      const { body } = await until(
        () => lab.send(`GET ${at}/payout/${String(accepted.body.id)}`, undefined, key),
        ({ body }) => body.status === 'failed',
      )
      assert.equal(object(body.payout_error).error_code, code)
    }
  })

  it('refuses invalid requests and unknown sessions', async () => {
    assert.equal((await lab.send(`POST ${at}/checkout/sessions`, {})).status, 401)
    for (const change of [{ amount: 500 }, { currency: 'XAF' }, { success_url: 'javascript:1' }])
      assert.equal((await create(change)).code, 'request-validation-error')
    const order = { currency: 'XOF', receive_amount: '500', mobile: '771234567' }
    assert.equal((await lab.send(`POST ${at}/payout`, order, key)).status, 400)
    assert.equal((await read('cos-1')).code, 'checkout-session-not-found')
  })
})
