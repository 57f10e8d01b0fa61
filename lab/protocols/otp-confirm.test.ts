import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { object } from '../fields.ts'
import type { Body } from '../router.ts'
import { startLab } from '../server.ts'
import { letTimePass } from '../test-clients.ts'
import { newKey, openTestLab, until } from '../test-lab.ts'

const lab = await openTestLab()
const at = '/otp-confirm/WALLETD/SN'

async function createInvoice(reference = newKey()): Promise<string> {
  const { body } = await lab.send(`POST ${at}/checkout-invoice/create`, {
    invoice: { total_amount: 500, description: 'Tea' },
    store: { name: 'Boutique' },
    actions: { callback_url: lab.inbox(reference) },
    custom_data: { reference },
  })
  assert.equal(body.response_code, '00')
  return String(body.token)
}

async function prompt(token: string, phone: string): Promise<string> {
  const order = {
    customer_name: 'A',
    customer_email: 'a@b',
    phone_number: phone,
    invoice_token: token,
  }
  const { body } = await lab.send(`POST ${at}/softpay/wallet`, order)
  assert.equal(body.success, true)
  return String(object(body.data).TransactionID)
}

const confirm = (transaction_id: string, phone_number: string, authorization_code = '123456') =>
  lab.send(`POST ${at}/softpay/confirm`, { authorization_code, phone_number, transaction_id })
const read = async (token: string) =>
  (await lab.send(`GET ${at}/checkout-invoice/confirm/${token}`)).body
const end = (token: string) =>
  until(
    () => read(token),
    ({ status }) => status !== 'pending',
  )

describe('otp-confirm', { concurrency: true }, () => {
  it('an invoice stays pending until the right code arrives', async () => {
    const reference = newKey()
    const token = await createInvoice(reference)
    assert.equal((await read(token)).status, 'pending')
    const id = await prompt(token, '771234567')
    await letTimePass(lab, 2)
    const wrong = await confirm(id, '771234567', '000000')
    assert.deepEqual(wrong.body, { success: false, message: 'Invalid code' })
    await letTimePass(lab, 2)
    assert.equal((await read(token)).status, 'pending')
    assert.equal((await confirm(id, '771234567')).body.success, true)
    const { response_code, status, invoice, receipt_identifier, custom_data } = await end(token)
    assert.deepEqual([response_code, status, receipt_identifier], ['00', 'completed', id])
    assert.deepEqual([invoice, custom_data], [{ token, total_amount: 500 }, { reference }])
    assert.equal((await confirm(id, '771234567')).body.message, 'Already processed')
    const [callback] = await until(
      () => lab.received(reference),
      ({ length }) => length > 0,
    )
    assert.equal(object(callback?.body.data).token, token)
    assert.equal(object(callback?.body.data).status, 'completed')
  })

  for (const [phone, success, status, reason] of [
    // null: a payer who refuses may do so before or after the code arrives.
    ['770000001', false, 'failed', 'Insufficient funds'],
    ['770000002', null, 'cancelled', 'Refused by the customer'],
    ['770000003', null, 'cancelled', 'Expired'],
    ['770000013', true, 'failed', 'Failed'],
  ] as const)
    it(`an invoice of ${phone} ends ${status}: ${reason}`, async () => {
      const token = await createInvoice()
      const answer = await confirm(await prompt(token, phone), phone)
      if (success !== null) assert.equal(answer.body.success, success)
      const invoice = await end(token)
      assert.deepEqual([invoice.status, invoice.fail_reason], [status, reason])
    })

  it('a refusal and an expiry need no code', async () => {
    for (const phone of ['770000002', '770000003']) {
      const token = await createInvoice()
      await prompt(token, phone)
      assert.equal((await end(token)).status, 'cancelled')
    }
  })

  it('an invoice whose code never comes is cancelled after its lifetime', async () => {
    const quick = await startLab({ pace: 1_000_000 })
    after(() => quick.close())
    const send = async (path: string, body: Body) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      return (await (await fetch(`${quick.url}${at}/${path}`, init)).json()) as Body
    }
    const asked = { invoice: { total_amount: 500 }, custom_data: {} }
    const invoice_token = String((await send('checkout-invoice/create', asked)).token)
    const prompted = await send('softpay/wallet', { phone_number: '771234567', invoice_token })
    const seen = await until(
      async () =>
        (await (
          await fetch(`${quick.url}${at}/checkout-invoice/confirm/${invoice_token}`)
        ).json()) as Body,
      ({ status }) => status !== 'pending',
    )
    assert.deepEqual([seen.status, seen.fail_reason], ['cancelled', 'Expired'])
    const code = {
      authorization_code: '123456',
      phone_number: '771234567',
      transaction_id: object(prompted.data).TransactionID,
    }
    assert.equal((await send('softpay/confirm', code)).message, 'Already processed')
  })

  it('of two prompts for one invoice only one is paid', async () => {
    const reference = newKey()
    const token = await createInvoice(reference)
    const [first, second] = [await prompt(token, '771234567'), await prompt(token, '771234567')]
    assert.notEqual(first, second)
    await Promise.all([confirm(first, '771234567'), confirm(second, '771234567')])
    const orders = await until(
      () => lab.booked(reference),
      (all) => all.every(({ status }) => status !== 'pending'),
    )
    assert.equal(orders.length, 2)
    assert.equal(Number(orders[0]?.executed) + Number(orders[1]?.executed), 1)
    assert.equal((await read(token)).status, 'completed')
  })

  it('an invoice is paid out once', async () => {
    const asked = { account_alias: '771234567', amount: 500, withdraw_mode: 'wallet' }
    const { body } = await lab.send(`POST ${at}/disburse/get-invoice`, asked)
    const disburse_invoice = body.disburse_token
    const check = async () =>
      (await lab.send(`POST ${at}/disburse/check-status`, { disburse_invoice })).body
    assert.equal((await check()).status, 'created')
    const order = { disburse_invoice, disburse_id: 'ours' }
    const submitted = await lab.send(`POST ${at}/disburse/submit-invoice`, order)
    assert.equal(submitted.body.response_code, '00')
    assert.equal(submitted.body.status, 'pending')
    const again = await lab.send(`POST ${at}/disburse/submit-invoice`, order)
    assert.equal(again.body.response_code, '1001')
    const done = await until(check, ({ status }) => status === 'success')
    assert.equal(done.transaction_id, submitted.body.transaction_id)
    assert.deepEqual([done.amount, done.disburse_id], [500, 'ours'])
  })

  it('refuses invalid requests and unknown tokens', async () => {
    for (const [path, body, status] of [
      ['checkout-invoice/create', { invoice: { total_amount: 1.5 } }, 400],
      ['checkout-invoice/create', {}, 400],
      ['softpay/wallet', { phone_number: '771234567', invoice_token: 'x' }, 404],
      ['softpay/confirm', { transaction_id: 'x' }, 404],
      ['disburse/get-invoice', { account_alias: 'x', amount: 500 }, 400],
      ['disburse/submit-invoice', { disburse_invoice: 'x' }, 404],
    ] as [string, Body, number][])
      assert.equal((await lab.send(`POST ${at}/${path}`, body)).status, status, path)
    assert.equal((await lab.send(`GET ${at}/checkout-invoice/confirm/x`)).status, 404)
  })
})
