import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { sendWebhook } from '#backoffice/webhooks/send.ts'
import { signatureHeaders } from '#backoffice/webhooks/sign.ts'
import { openGuardedPools } from '#base/net/guard.ts'
import { object } from './fields.ts'
import type { Body } from './router.ts'
import { seededRandom } from './seeded-random.ts'
import { letTimePass } from './test-clients.ts'
import { newKey, openTestLab, type TestLab, until } from './test-lab.ts'

const sn = '/gsma/WALLETA/SN'

const pay = (lab: TestLab, phone: string, key = newKey()) =>
  lab.send(
    `POST ${sn}/transactions/type/merchantpay`,
    { amount: '500', currency: 'XOF', debitParty: [{ key: 'msisdn', value: `221${phone}` }] },
    { 'x-correlationid': key, 'x-callback-url': lab.inbox(key) },
  )
const settled = async (lab: TestLab, key: string): Promise<Body> => {
  const [order] = await until(
    () => lab.booked(key),
    (orders) => orders.length > 0 && orders.every(({ status }) => status !== 'pending'),
  )
  return order ?? {}
}

describe('scripts', () => {
  it('replace the scenario of a number for its next order', async () => {
    const lab = await openTestLab()
    const steps = [
      { do: 'status', code: 502 },
      { do: 'delay', ms: 200 },
      { do: 'succeed', amount: 123 },
      { do: 'callback' },
      { do: 'duplicate', times: 2 },
      { do: 'contradict' },
    ]
    assert.equal((await lab.send('POST /lab/scenario', { number: '771112233', steps })).status, 200)
    const key = newKey()
    assert.equal((await pay(lab, '771112233', key)).status, 502)
    assert.equal((await pay(lab, '771112233', key)).status, 202)
    assert.deepEqual((await settled(lab, key)).paid, 123)
    const callbacks = await until(
      () => lab.received(key),
      ({ length }) => length >= 4,
    )
    const amounts = callbacks.map(({ body }) => body.amount ?? body.errorCode)
    assert.deepEqual(amounts, ['123', '123', '123', 'genericError'])
    const next = newKey()
    assert.equal((await pay(lab, '771112233', next)).status, 202)
    assert.equal((await settled(lab, next)).paid, 500)
  })

  it('go on at once when the payer of a number decides, and those of others wait', async () => {
    const lab = await openTestLab({ pace: 1 })
    const steps = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
    const [decided, waiting] = [newKey(), newKey()]
    for (const number of ['771112233', '771112234'])
      await lab.send('POST /lab/scenario', { number, steps })
    await pay(lab, '771112233', decided)
    await pay(lab, '771112234', waiting)
    assert.equal((await lab.send('POST /lab/continue', { number: '12' })).status, 400)
    assert.equal((await lab.send('POST /lab/continue', { number: '+221771112233' })).status, 200)
    assert.equal((await settled(lab, decided)).paid, 500)
    const [other] = await lab.booked(waiting)
    assert.equal(other?.status, 'pending')
  })

  it('replace the scenario of a number until they are deleted', async () => {
    const lab = await openTestLab()
    const script = {
      number: '221770000004',
      always: true,
      steps: [{ do: 'decline', reason: 'refused' }],
    }
    await lab.send('POST /lab/scenario', script)
    for (const key of [newKey(), newKey()]) {
      await pay(lab, '770000004', key)
      assert.equal((await settled(lab, key)).reason, 'refused')
    }
    await lab.send('DELETE /lab/scenario')
    const key = newKey()
    await pay(lab, '770000004', key)
    await letTimePass(lab, 3)
    assert.equal((await lab.booked(key))[0]?.status, 'pending')
  })

  it('may delay the answer until the order has ended', async () => {
    const lab = await openTestLab()
    const steps = [{ do: 'delay', ms: 1000 }, { do: 'succeed' }, { do: 'answer' }]
    await lab.send('POST /lab/scenario', { number: '771112233', steps })
    const at = '/otp-confirm/WALLETD/SN/disburse'
    const asked = { account_alias: '771112233', amount: 500 }
    const { body } = await lab.send(`POST ${at}/get-invoice`, asked)
    const order = { disburse_invoice: body.disburse_token }
    assert.equal((await lab.send(`POST ${at}/submit-invoice`, order)).body.status, 'success')
  })

  it('are refused when a step is invalid', async () => {
    const lab = await openTestLab()
    for (const body of [
      {},
      { number: '771112233' },
      { number: '77', steps: [] },
      { number: '771112233', steps: [{ do: 'dance' }] },
      { number: '771112233', steps: [null] },
      { number: '771112233', steps: [{ do: 'delay' }] },
      { number: '771112233', steps: [{ do: 'delay', ms: -1 }] },
      { number: '771112233', steps: [{ do: 'status', code: 200 }] },
      { number: '771112233', steps: [{ do: 'decline', reason: 'mood' }] },
      { number: '771112233', steps: [{ do: 'succeed', amount: 1.5 }] },
    ])
      assert.equal((await lab.send('POST /lab/scenario', body)).status, 400, JSON.stringify(body))
  })
})

describe('outages', () => {
  for (const [mode, status] of [
    ['refuse', 0],
    ['error', 503],
  ] as const)
    it(`${mode}: status ${status}, only for that provider and that time`, async () => {
      const lab = await openTestLab()
      const set = (seconds: number) =>
        lab.send('POST /lab/outage', { connector: 'gsma', provider: 'WALLETA', mode, seconds })
      await set(60)
      assert.equal((await pay(lab, '771234567')).status, status)
      assert.equal((await lab.send('GET /gsma/WALLETC/SN/heartbeat')).status, 200)
      await set(0.1)
      const { status: later } = await until(
        () => pay(lab, '771234567'),
        ({ status }) => status === 202,
      )
      assert.equal(later, 202)
    })

  it('hang: no answer at all; slow: two seconds more', async () => {
    const lab = await openTestLab()
    const set = (mode: string) =>
      lab.send('POST /lab/outage', { connector: 'gsma', mode, seconds: 60 })
    await set('hang')
    let isAnswered = false
    void pay(lab, '771234567').then(() => (isAnswered = true))
    await letTimePass(lab, 3)
    assert.equal(isAnswered, false)
    await set('slow')
    const startedAt = Date.now()
    assert.equal((await lab.send(`GET ${sn}/heartbeat`)).status, 200)
    assert.ok(Date.now() - startedAt >= 99)
    await lab.send('POST /lab/outage', { connector: 'gsma', mode: 'slow', seconds: 0 })
    assert.equal(
      (await lab.send('POST /lab/outage', { connector: 'gsma', mode: 'nap', seconds: 1 })).status,
      400,
    )
  })
})

describe('faults', () => {
  it('hit the configured share of orders, the same ones for the same seed', async () => {
    const runs = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        const lab = await openTestLab({ seed, pace: 200 })
        await lab.send('POST /lab/faults', {
          rate: 0.5,
          kinds: ['lost_answer', 'error_before', 'error_after'],
        })
        const answers: number[] = []
        for (let count = 0; count < 60; count++) answers.push((await pay(lab, '771234567')).status)
        return answers
      }),
    )
    assert.deepEqual(runs[0], runs[1])
    assert.notDeepEqual(runs[0], runs[2])
    assert.deepEqual(
      [0, 202, 500, 503].filter((status) => !runs[0]?.includes(status)),
      [],
    )
    const hit = runs[0]?.filter((status) => status !== 202).length ?? 0
    assert.ok(hit > 15 && hit < 45, `${hit} of 60`)
  })

  it('leave a session whose answer was lost unpaid until it is looked up', async () => {
    const lab = await openTestLab()
    await lab.send('POST /lab/faults', { rate: 1, kinds: ['lost_answer'] })
    const [shop, key] = ['/checkout-session/WALLETB/SN/v1/checkout/sessions', newKey()]
    const [success_url, error_url] = ['http://a.example', 'http://b.example']
    const session = {
      amount: '500',
      currency: 'XOF',
      client_reference: key,
      success_url,
      error_url,
    }
    const bearer = { authorization: 'Bearer key' }
    assert.equal((await lab.send(`POST ${shop}`, session, bearer)).status, 0)
    await lab.send('POST /lab/faults', { rate: 0 })
    await letTimePass(lab, 3)
    assert.equal((await lab.booked(key))[0]?.status, 'pending')
    await lab.send(`GET ${shop}/search?client_reference=${key}`, undefined, bearer)
    assert.equal((await settled(lab, key)).status, 'succeeded')
  })

  it('are refused with an invalid rate or kind, like the other settings', async () => {
    const lab = await openTestLab()
    for (const body of [{}, { rate: 2 }, { rate: 0.1, kinds: [] }, { rate: 0.1, kinds: ['x'] }])
      assert.equal((await lab.send('POST /lab/faults', body)).status, 400)
    assert.equal((await lab.send('POST /lab/idempotency', { enabled: 1 })).status, 400)
    assert.equal((await lab.send('POST /lab/webhooks', { url: 'x' })).status, 400)
  })
})

describe('the order book', () => {
  it('lists orders after a number, and is empty after a reset', async () => {
    const lab = await openTestLab()
    const keys = [newKey(), newKey(), newKey()]
    for (const key of keys) await pay(lab, '771234567', key)
    for (const key of keys) await settled(lab, key)
    const { body } = await lab.send('GET /lab/books?since=1')
    const orders = body.orders as Body[]
    assert.deepEqual(
      orders.map(({ number, key }) => [number, key]),
      [
        [2, keys[1]],
        [3, keys[2]],
      ],
    )
    const { createdAt, completedAt, reference, ...row } = orders[0] ?? {}
    assert.ok(String(createdAt) < String(completedAt) && String(reference).startsWith('T'))
    assert.deepEqual(row, {
      number: 2,
      connector: 'gsma',
      provider: 'WALLETA',
      country: 'SN',
      operation: 'collect',
      key: keys[1],
      client_reference: '',
      phone: '771234567',
      amount: 500,
      currency: 'XOF',
      status: 'succeeded',
      reason: null,
      executed: 1,
      paid: 500,
    })
    assert.deepEqual(body.totals, {
      orders: 3,
      pending: 0,
      succeeded: 3,
      failed: 0,
      executed: 3,
      paid: { XOF: 1500 },
      keysExecutedTwice: 0,
    })
    assert.deepEqual((await lab.send('GET /lab')).body, { orders: 3, folder: null })
    await lab.send('POST /lab/reset')
    const empty = await lab.send('GET /lab/books')
    assert.deepEqual([empty.body.orders, object(empty.body.totals).orders], [[], 0])
  })

  it('has the time at which an order ended, not the time at which it was looked up', async () => {
    const lab = await openTestLab()
    const order = {
      amount: '500',
      currency: 'XOF',
      debitParty: [{ key: 'msisdn', value: '221771234567' }],
    }
    const key = { 'x-correlationid': newKey() }
    await lab.send(`POST ${sn}/transactions/type/merchantpay`, order, key)
    await letTimePass(lab, 3)
    const [{ createdAt, completedAt } = {}] = await lab.booked(key['x-correlationid'])
    const tookMs = Date.parse(String(completedAt)) - Date.parse(String(createdAt))
    assert.ok(tookMs >= 39 && tookMs <= 61, `${tookMs} ms`)
  })

  it('has the same delays for the same seed', () => {
    const delays = (seed: number) => [1, 2, 3, 4].map((number) => seededRandom(seed, number, 0))
    assert.deepEqual(delays(1), delays(1))
    assert.notDeepEqual(delays(1), delays(2))
    const many = Array.from({ length: 10_000 }, (_, index) => seededRandom(1, index, 0))
    assert.ok(Math.abs(many.reduce((sum, one) => sum + one, 0) / 10_000 - 0.5) < 0.02)
  })

  it('sends a failing callback four times', async () => {
    const lab = await openTestLab({ pace: 100 })
    const key = `refuse-${newKey()}`
    await lab.send(
      `POST ${sn}/transactions/type/merchantpay`,
      { amount: '500', currency: 'XOF', debitParty: [{ key: 'msisdn', value: '221771234567' }] },
      { 'x-callback-url': lab.inbox(key) },
    )
    await until(
      () => lab.received(key),
      ({ length }) => length >= 4,
    )
    await letTimePass(lab, 20)
    assert.equal(lab.received(key).length, 4)
  })
})

describe('a caller that must not drive the lab', () => {
  it('is any webhook, whatever its address', async () => {
    const lab = await openTestLab()
    const key = newKey()
    await pay(lab, '770000004', key)
    const pools = openGuardedPools('sandbox')
    const sentAt = new Date()
    for (const secrets of [[], ['whsec_c2VjcmV0']])
      for (const path of ['/lab/reset', '/lab/reset/', '//lab/reset', `${sn}/heartbeat`]) {
        const headers = signatureHeaders({ id: 'evt_1', sentAt, body: '{}' }, secrets)
        const order = { pools, owner: '1', mode: 'sandbox', headers, body: '{}' } as const
        const { status } = await sendWebhook({ ...order, url: lab.url + path })
        assert.equal(status, 403, path)
      }
    pools.close()
    assert.equal((await lab.booked(key)).length, 1)
  })

  it('is a web page of another site, and at /lab any web page', async () => {
    const lab = await openTestLab()
    const { host } = new URL(lab.url)
    const reset = 'POST /lab/reset'
    const page = 'POST /checkout/cos-1/approve'
    const scenarios: [string, Record<string, string>, number][] = [
      // target, headers, status (404: the page is served, but not known)
      [reset, {}, 200],
      [reset, { origin: 'https://evil.example' }, 403],
      [reset, { origin: 'null' }, 403],
      [reset, { 'sec-fetch-site': 'cross-site' }, 403],
      [reset, { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, 403],
      [page, {}, 404],
      [page, { origin: 'https://evil.example' }, 403],
      [page, { origin: 'null', 'sec-fetch-site': 'cross-site' }, 403],
      [page, { 'sec-fetch-site': 'same-site' }, 403],
      [page, { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, 404],
      ['GET /checkout/cos-1', { 'sec-fetch-site': 'cross-site' }, 404],
      ['GET /lab', { 'sec-fetch-site': 'none' }, 200],
    ]
    for (const [target, headers, status] of scenarios)
      assert.equal(
        (await lab.send(target, undefined, headers)).status,
        status,
        `${target} ${JSON.stringify(headers)}`,
      )
  })
})

describe('any input', () => {
  it('is answered with a status below 500', async () => {
    const lab = await openTestLab({ pace: 1000 })
    const words = [
      'gsma',
      'WALLETA',
      'SN',
      'lab',
      'books',
      'checkout',
      'v1',
      'payout',
      '%',
      '%00',
      'constructor',
      '..',
      '',
    ]
    const bodies = [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"a":1}',
      '{"amount":{"toString":1}}',
      'x'.repeat(70_000),
    ]
    const pick = <T>(list: T[], number: number, purpose: number) =>
      list[Math.floor(seededRandom(3, number, purpose) * list.length)] as T
    for (let number = 0; number < 1500; number++) {
      const path = Array.from({ length: 6 }, (_, index) => pick(words, number, index)).join('/')
      const method = pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'], number, 20)
      const answer = await lab.send(`${method} /${path}`, pick(bodies, number, 21))
      assert.ok(answer.status >= 200 && answer.status < 500, `${method} /${path} ${answer.status}`)
    }
    assert.deepEqual((await lab.send('GET /nowhere')).body, { message: 'There is nothing here' })
  })

  it("at an address that a protocol does not have gets that protocol's error", async () => {
    const lab = await openTestLab()
    for (const [mount, fields] of [
      ['gsma/WALLETA/SN', ['errorCategory', 'errorCode']],
      ['request-to-pay/WALLETF/CI', ['code', 'message']],
      ['otp-confirm/WALLETD/SN', ['response_code', 'response_text']],
      ['checkout-session/WALLETB/SN', ['code', 'message']],
      ['top-up/OPERATOR1/SN', ['errorCode', 'message']],
      ['gsma/WALLETA/XX', ['errorCategory', 'errorCode']],
    ] as const)
      for (const method of ['GET', 'POST', 'PATCH']) {
        const { status, body } = await lab.send(`${method} /${mount}/no/such/path`)
        assert.equal(status, 404, mount)
        assert.deepEqual(
          fields.filter((field) => typeof body[field] === 'string'),
          fields,
          mount,
        )
      }
  })

  it('may have no body, with and without a content-length', async () => {
    const lab = await openTestLab()
    const { hostname, port } = new URL(lab.url)
    for (const line of ['content-length: 0\r\n', '']) {
      const socket = connect(Number(port), hostname)
      socket.write(`POST /lab/reset HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${line}\r\n`)
      assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n/)
    }
  })

  it('of the wrong types is refused by every protocol', async () => {
    const lab = await openTestLab({ pace: 1000 })
    const bearer = (connector: string) => ({
      authorization: `Bearer lab.${connector}.9999999999999`,
      'idempotency-key': 'k',
      'x-reference-id': newKey(),
    })
    const junk = [null, 1, 'x', [], {}, [null], { a: [] }, '\u0000', -1, 1e300, true]
    const targets: [string, string, string[]][] = [
      ['gsma/WALLETA/SN', 'transactions/type/merchantpay', ['amount', 'currency', 'debitParty']],
      ['gsma/WATER/SN', 'accounts/a/100000001/bills/x/payments', ['amountPaid', 'currency']],
      [
        'request-to-pay/WALLETF/CI',
        'collection/v1_0/requesttopay',
        ['amount', 'payer', 'currency'],
      ],
      ['otp-confirm/WALLETD/SN', 'checkout-invoice/create', ['invoice', 'actions', 'custom_data']],
      ['otp-confirm/WALLETD/SN', 'softpay/wallet', ['phone_number', 'invoice_token']],
      ['otp-confirm/WALLETD/SN', 'disburse/get-invoice', ['account_alias', 'amount']],
      ['checkout-session/WALLETB/SN', 'v1/checkout/sessions', ['amount', 'success_url']],
      ['checkout-session/WALLETB/SN', 'v1/payout', ['receive_amount', 'mobile', 'name']],
      ['top-up/OPERATOR1/SN', 'topups-async', ['amount', 'recipientPhone', 'customIdentifier']],
      ['top-up/PREPAID/SN', 'pay', ['amount', 'subscriberAccountNumber', 'referenceId']],
    ]
    for (const [mount, path, fields] of targets)
      for (const value of junk) {
        const body = Object.fromEntries(fields.map((field) => [field, value]))
        const answer = await lab.send(
          `POST /${mount}/${path}`,
          body,
          bearer(mount.split('/')[0] ?? ''),
        )
        assert.ok(
          [400, 404].includes(answer.status),
          `${path} ${JSON.stringify(body)} ${answer.text}`,
        )
      }
  })
})

describe('the program', () => {
  const run = (...words: string[]) => {
    const program = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words])
    let said = ''
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (chunk: Buffer) => (said += String(chunk)))
    const code = new Promise<number | null>((done) => program.on('exit', done))
    return { program, code, said: () => said }
  }

  it('prints its address, and exits on SIGTERM', async () => {
    const { program, code, said } = run('--port', '0', '--pace', '10')
    const line = await until(said, (text) => text.endsWith('\n'))
    const { listening } = JSON.parse(line) as { listening: string }
    assert.match(listening, /^http:\/\/127\.0\.0\.1:\d+$/)
    const taken = run('--port', listening.split(':')[2] ?? '')
    assert.equal(await taken.code, 1)
    assert.match(taken.said(), /^Port \d+ is taken by another program: [^\n]+\n$/)
    program.kill('SIGTERM')
    assert.equal(await code, 0)
  })

  it('refuses invalid options in one sentence', async () => {
    for (const words of [
      ['--pace', 'x'],
      ['--port', '99999'],
      ['--webhook-url', 'x'],
      ['--speed', '1'],
    ]) {
      const { code, said } = run(...words)
      assert.equal(await code, 1)
      assert.match(said(), /^[^\n]+\n$/)
    }
  })
})
