import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  balance,
  call,
  contentsOf,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

// WALLETB has an account in two countries, each with its own webhook secret.
const secrets = { SN: 'lab_checkout_secret', CI: 'another_secret' }
const gateway = await liveGateway({
  pace: 20,
  bind: (one) =>
    one.provider === 'WALLETB' && one.country === 'CI'
      ? { ...one, credentials: { ...one.credentials, webhookSecret: secrets.CI } }
      : one,
})
const { db, url, transactions, clientId, connect } = gateway
const owner = connect({ asOwner: true })
let numbers = 779_000_000

interface Waiting {
  id: string
  number: string
  connector: string
  attemptId: string
  /** The callback address of this attempt. */
  address: string
  page: string
}

const connectors: Record<string, string> = {
  WALLETA: 'gsma',
  WALLETB: 'checkout-session',
  WALLETD: 'otp-confirm',
  WALLETF: 'request-to-pay',
}

/** A new transaction whose provider does only what the steps say. */
async function waiting(serviceCode: string, steps: object[] = []): Promise<Waiting> {
  numbers += 1
  const number = String(numbers)
  await script(gateway, number, steps)
  const body = initBody({ serviceCode, number })
  const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
  const { transactionId: id, cashout_url: page } = answer.body.transaction
  const [attempt] = await db<{ id: string }>`select id from attempts where transaction_id = ${id}`
  const attemptId = String(attempt?.id)
  const connector = connectors[serviceCode.split('_')[0] ?? ''] ?? ''
  const address = transactions.context.addresses.make({ connector, clientId, attemptId })
  return { id, number, connector, attemptId, address, page }
}

interface Message {
  method?: string
  body?: string | Buffer
  headers?: Record<string, string>
}

/** Sends a callback and returns the status of the answer. */
async function sendCallback(address: string, { method = 'POST', body, headers }: Message = {}) {
  const type = { 'Content-Type': 'application/json' }
  const answer = await fetch(address, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Lets the payer pay on the lab's page. */
async function approve({ page }: Waiting): Promise<void> {
  await fetch(`${page}/approve`, { method: 'POST', redirect: 'manual' })
}

/** The body of the provider's callback for a payment that succeeded. */
function successOf(one: Waiting, change: object = {}): string {
  const money = { amount: '5000', currency: 'XOF', ...change }
  const bodies: Record<string, object> = {
    gsma: { transactionReference: 'T1', transactionStatus: 'completed', ...money },
    'request-to-pay': { status: 'SUCCESSFUL', financialTransactionId: '1', ...money },
    'otp-confirm': {
      data: { token: 'x', status: 'completed', invoice: { token: 'x', total_amount: 5000 } },
    },
    'checkout-session': event(one, { payment_status: 'succeeded', ...money }),
  }
  return JSON.stringify(bodies[one.connector])
}

let events = 0

function event({ attemptId, page }: Pick<Waiting, 'attemptId' | 'page'>, change: object): object {
  events += 1
  const data = {
    // The page of a session has its id.
    id: page.split('/').at(-1),
    launch_url: 'https://pay.example/cos-1',
    checkout_status: 'complete',
    client_reference: `${clientId}.${attemptId}`,
    amount: '5000',
    currency: 'XOF',
    ...change,
  }
  return { id: `EV_${events}`, type: 'checkout.session.completed', data }
}

function signed(body: string, secret = secrets.SN, atMs = Date.now()): Message {
  const time = String(Math.floor(atMs / 1000))
  return { body, headers: { 'checkout-signature': `t=${time},v1=${hmac(secret, time, body)}` } }
}

function hmac(secret: string, time: string, body: string): string {
  return createHmac('sha256', secret).update(time).update(body).digest('hex')
}

async function metric(result: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^passerelle_callbacks_total\{.*result="(\w+)".*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, what, count]) => sum + (what === result ? Number(count) : 0), 0)
}

async function conflictsOf(id: string): Promise<string[]> {
  const rows = await db<{ kind: string }>`
    select kind from conflicts where transaction_id = ${id} order by kind`
  return rows.map(({ kind }) => kind)
}

/** The amounts posted to suspense for an attempt. */
async function suspenseOf({ attemptId }: Waiting): Promise<number[]> {
  const rows = await db<{ amount: number }>`
    select e.amount from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    where e.account = 'suspense' and p.ref = ${attemptId}`
  return rows.map(({ amount }) => amount)
}

type Forgery = [name: string, address: string, message: Message]

/** Addresses that differ from the address of an attempt in one part. */
function wrongAddresses(one: Waiting, other: Waiting): Forgery[] {
  const { connector, attemptId, address } = one
  const code = address.split('/').at(-1) ?? ''
  const first = code.startsWith('A') ? 'B' : 'A'
  const to = (client: number | string, attempt: string, mac: string, name = connector) =>
    `${url}/callbacks/${name}/${client}/${attempt}/${mac}`
  const others = Object.values(connectors).filter((name) => name !== connector)
  const addresses = [
    to(clientId, attemptId, first + code.slice(1)),
    to(clientId, attemptId, code.slice(0, -1)),
    to(clientId, attemptId, `${code}A`),
    to(clientId, attemptId, code.slice(1)),
    to(clientId, attemptId, swapCase(code)),
    to(clientId, attemptId, 'x'),
    to(clientId, attemptId, 'é'.repeat(27)),
    to(clientId, attemptId, randomBytes(20).toString('base64url')),
    to(clientId, attemptId, other.address.split('/').at(-1) ?? ''),
    to(clientId + 1, attemptId, code),
    to(0, attemptId, code),
    to(-1, attemptId, code),
    to('9999999999', attemptId, code),
    to(`${clientId}'`, attemptId, code),
    to(clientId, other.attemptId, code),
    to(clientId, randomUUID(), code),
    to(clientId, attemptId.toUpperCase(), code),
    to(clientId, '-'.repeat(36), code),
    to(clientId, `${attemptId} `, code),
    ...others.map((name) => to(clientId, attemptId, code, name)),
    `${url}/callbacks/${connector}`,
  ]
  const message = connector === 'checkout-session' ? {} : { body: successOf(one) }
  return addresses.flatMap((wrong): Forgery[] => [
    [`POST ${wrong}`, wrong, message],
    [`PUT ${wrong}`, wrong, { method: 'PUT', ...message }],
  ])
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) =>
    one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
  )
}

/** Bodies that the protocol does not know, sent to the right address. */
function nonsense({ connector, address }: Waiting): Forgery[] {
  const bodies = ['', '{}', '[]', 'null', '5', '"x"', '{"status":5}', '{"data":{}}', '<xml/>']
  const bytes = [randomBytes(200), randomBytes(60_000), Buffer.from([0xff, 0xfe]), Buffer.alloc(9)]
  const deep = `${'[['.repeat(9000)}${']]'.repeat(9000)}`
  const types = ['text/plain', 'application/xml', 'application/octet-stream', 'multipart/mixed']
  return [
    ...[...bodies, deep, ...bytes].map(
      (body): Forgery => [`${connector} ${String(body)}`, address, { body }],
    ),
    ...types.map((type): Forgery => {
      const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' }
      return [`${connector} ${type}`, address, { body: '{"status":{}}', headers, method: 'PUT' }]
    }),
  ]
}

/** Webhooks with an invalid signature. */
function wrongSignatures(one: Waiting, inCi: Waiting): Forgery[] {
  const body = successOf(one)
  const time = String(Math.floor(Date.now() / 1000))
  const right = hmac(secrets.SN, time, body)
  const other = successOf(one, { amount: '4999' })
  const values = [
    '',
    right,
    `v1=${right}`,
    `t=${time}`,
    `t=${time},v1=`,
    `t=${time},v1=${right.slice(1)}`,
    `t=${time},v1=${right}0`,
    `t=${time},v1=${right.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`,
    `t=${time},v0=${right}`,
    `t=${Number(time) + 1},v1=${right}`,
    `t= ,v1=${right}`,
    `t=NaN,v1=${right}`,
    `t=${time},v1=${hmac('', time, body)}`,
    `t=${time},v1=${hmac('lab_wrong_secret', time, body)}`,
    `t=${time},v1=${hmac(secrets.SN, '', body)}`,
    `t=${time},v1=${hmac(secrets.SN, time, other)}`,
    `t=${time},v1=${createHmac('sha256', secrets.SN).update(body).digest('hex')}`,
  ]
  const agesMs = [-330_000, -3_600_000, 330_000, 86_400_000]
  const messages: Message[] = [
    { body },
    ...values.map((value) => ({ body, headers: { 'checkout-signature': value } })),
    ...agesMs.map((ageMs) => signed(body, secrets.SN, Date.now() - ageMs)),
    // The signature of another body.
    { ...signed(body), body: other },
    { ...signed(body), body: `${body} ` },
    // A signature with the secret of the other account.
    signed(body, secrets.CI),
    signed(successOf(inCi), secrets.SN),
  ]
  return messages.flatMap((message, index): Forgery[] => [
    [`signature ${index}`, `${url}/callbacks/checkout-session`, message],
    [`signature ${index} at its address`, one.address, message],
  ])
}

describe('a forged callback', () => {
  it('is answered with 404, counted, and changes nothing in the database', async () => {
    const codes = [
      'WALLETA_SN',
      'WALLETF_CI',
      'WALLETD_SN',
      'WALLETB_SN',
      'WALLETB_CI',
      'WALLETA_SN',
    ]
    const all = await Promise.all(codes.map((code) => waiting(`${code}_CASHOUT`)))
    const [a, f, d, b, inCi, other] = all as [Waiting, Waiting, Waiting, Waiting, Waiting, Waiting]
    const mistaken = successOf(other)
    const forgeries = [
      ...[a, f, d, b].flatMap((one) => [...wrongAddresses(one, other), ...nonsense(one)]),
      ...wrongSignatures(b, inCi),
      // Signed by the provider, but for another order than the address names.
      ['another order', b.address, signed(successOf({ ...b, attemptId: randomUUID() }))] as Forgery,
      ['another account', inCi.address, signed(successOf(b))] as Forgery,
      ['without callbacks', `${url}/callbacks/top-up`, { body: mistaken }] as Forgery,
    ]
    // Keeps the sweeper away from these transactions.
    await owner`update transactions set due_at = null`
    await eventually('their requests are kept', async () => {
      const kept = await owner`select from api_requests`
      const used = await owner`select from api_keys where last_used_at is not null`
      return kept.length >= codes.length && used.length > 0
    })
    const before = await contentsOf(db)
    const counted = await metric('forged')
    for (const [name, address, message] of forgeries)
      assert.equal(await sendCallback(address, message), 404, name)
    assert.ok(forgeries.length >= 300, `${forgeries.length}`)
    assert.equal(await metric('forged'), counted + forgeries.length)
    assert.deepEqual(await contentsOf(db), before)
  })

  it('is refused for a wrong path, method or size, and moves no money', async () => {
    const one = await waiting('WALLETA_SN_CASHOUT')
    await owner`update transactions set due_at = null`
    const before = await contentsOf(db)
    const body = successOf(one)
    const [connector, ...rest] = one.address.slice(`${url}/callbacks/`.length).split('/')
    // path, message, statuses
    const table: [string, Message, number[]][] = [
      [one.address, { body: Buffer.alloc(65_537) }, [413]],
      [one.address, { body: Buffer.alloc(1_000_000) }, [413]],
      [one.address, { body: Buffer.from('['.repeat(30_000) + ']'.repeat(30_000)) }, [404]],
      [one.address, { body, headers: { 'Content-Type': 'nonsense;;' } }, [404, 415, 204]],
      ...['nobody', 'constructor', '__proto__', 'GSMA', 'gsma.'].map(
        (name): [string, Message, number[]] => [
          `${url}/callbacks/${name}/${rest.join('/')}`,
          { body },
          [404],
        ],
      ),
      [`${url}/callbacks/nobody`, { body }, [404]],
      [`${url}/callbacks`, { body }, [404]],
      [`${url}/callbacks/${connector}/%00`, { body }, [400, 404]],
      [`${one.address}%00`, { body }, [400]],
      [`${one.address}%ff`, { body }, [400, 404]],
      [`${one.address}/more`, { body }, [404]],
      [one.address.replace(/[^/]*$/, ''), { body }, [404]],
      [one.address, { method: 'DELETE' }, [404, 405]],
      [one.address, { method: 'PATCH', body }, [404, 405]],
    ]
    for (const [address, message, statuses] of table) {
      const status = await sendCallback(address, message)
      assert.ok(statuses.includes(status), `${status} for ${address}`)
    }
    const same = await contentsOf(db)
    assert.deepEqual(same.ledger_entries, before.ledger_entries)
    assert.deepEqual(same.status_history, before.status_history)
  })
})

describe('an unsigned callback', () => {
  for (const code of ['WALLETA_SN', 'WALLETF_CI', 'WALLETD_SN'])
    it(`moves no money while the provider says that ${code} is pending`, async () => {
      const one = await waiting(`${code}_CASHOUT`)
      const before = await balance(gateway)
      for (const method of ['POST', 'PUT'])
        assert.equal(await sendCallback(one.address, { method, body: successOf(one) }), 204)
      const { body } = await call(gateway, `GET /api/v1/transaction/${one.id}`)
      assert.equal(body.transaction.Status, 'PENDING')
      assert.equal(await balance(gateway), before)
      assert.deepEqual(await conflictsOf(one.id), [])
    })

  it('makes us ask the provider, whose answer decides', async () => {
    for (const code of ['WALLETA_SN', 'WALLETF_CI'])
      for (const [steps, end] of [
        [[{ do: 'succeed' }], 'SUCCESS'],
        [[{ do: 'decline', reason: 'insufficient_funds' }], 'FAILED'],
        [[{ do: 'decline', reason: 'refused' }], 'CANCELLED'],
      ] as const) {
        const one = await waiting(`${code}_CASHOUT`, [...steps])
        // The callback claims a success in each case.
        assert.equal(await sendCallback(one.address, { body: successOf(one) }), 204)
        const { body } = await call(gateway, `GET /api/v1/transaction/${one.id}`)
        assert.equal(body.transaction.Status, end)
      }
  })

  it('tells why it failed when it arrives before the answer to its order', async () => {
    for (const code of ['WALLETA_SN', 'WALLETF_CI'])
      for (const [reason, expected] of [
        ['insufficient_funds', ['FAILED', 'PAYER_BALANCE_LOW']],
        ['refused', ['CANCELLED', 'PAYER_REFUSED']],
        ['expired', ['CANCELLED', 'PAYER_NO_ANSWER']],
      ] as const) {
        const steps = [{ do: 'decline', reason }, { do: 'callback' }, { do: 'answer' }]
        const { id } = await waiting(`${code}_CASHOUT`, steps)
        await until(gateway, id, isEnd)
        const { body } = await call(gateway, `GET /api/v1/transaction/${id}`)
        const { Status, failure } = body.transaction
        assert.deepEqual([Status, failure.code], expected, code)
      }
  })

  it('does not change a transaction that was cancelled', async () => {
    const one = await waiting('WALLETA_SN_CASHOUT', [{ do: 'decline', reason: 'refused' }])
    assert.equal(await sendCallback(one.address, { body: successOf(one) }), 204)
    for (let times = 0; times < 5; times += 1)
      assert.equal(await sendCallback(one.address, { body: successOf(one, { copy: times }) }), 204)
    assert.equal(await until(gateway, one.id, isEnd), 'CANCELLED')
    assert.deepEqual([await conflictsOf(one.id), await suspenseOf(one)], [[], []])
  })
})

describe('a callback from the provider', () => {
  for (const code of ['WALLETA_SN', 'WALLETF_CI', 'WALLETB_SN'])
    it(`has its effect once when it arrives 20 times: ${code}`, async () => {
      const isOnPage = code === 'WALLETB_SN'
      const steps = [{ do: 'delay', ms: isOnPage ? 600_000 : 0 }, { do: 'succeed' }]
      const one = await waiting(`${code}_CASHOUT`, steps)
      const before = await balance(gateway)
      if (isOnPage) await approve(one)
      const body = successOf(one)
      const message = isOnPage ? signed(body) : { body }
      const statuses = Array.from({ length: 20 }, (_, index) =>
        sendCallback(one.address, { ...message, method: index % 2 === 0 ? 'POST' : 'PUT' }),
      )
      assert.deepEqual([...new Set(await Promise.all(statuses))], [204])
      assert.equal(await until(gateway, one.id, isEnd), 'SUCCESS')
      assert.equal(await balance(gateway), before + 4900)
      const kept = await db`
        select id from evidence where transaction_id = ${one.id} and source = 'callback'`
      assert.equal(kept.length, 1)
      assert.deepEqual(await conflictsOf(one.id), [])
    })

  it('that contradicts a success is recorded as a conflict and moves no money', async () => {
    const sent = await waiting('WALLETB_SN_CASHOUT', [{ do: 'succeed' }])
    const [order] = await ordersOf(gateway, sent.id)
    const one = { ...sent, page: order?.reference ?? '' }
    const at = `${url}/callbacks/checkout-session`
    assert.equal(await sendCallback(at, signed(successOf(one))), 204)
    const before = await balance(gateway)
    for (let times = 0; times < 3; times += 1) {
      const contrary = JSON.stringify(event(one, { payment_status: 'cancelled' }))
      assert.equal(await sendCallback(at, signed(contrary)), 204)
    }
    assert.equal(await until(gateway, one.id, isEnd), 'SUCCESS')
    assert.deepEqual(await conflictsOf(one.id), ['contradiction'])
    assert.equal(await balance(gateway), before)
    assert.deepEqual(await suspenseOf(one), [])
  })

  it('that reports a payment after the cancellation posts it to suspense, once', async () => {
    const steps = [...paidWhenContinued, { do: 'duplicate', times: 9 }]
    const one = await waiting('WALLETB_SN_CASHOUT', steps)
    const at = `${url}/callbacks/checkout-session`
    const cancelled = JSON.stringify(event(one, { payment_status: 'cancelled' }))
    assert.equal(await sendCallback(at, signed(cancelled)), 204)
    assert.equal(await until(gateway, one.id, isEnd), 'CANCELLED')
    const before = await balance(gateway)
    // The payer pays nevertheless. The lab sends its callback ten times, and we ten others.
    await approve(one)
    const statuses = Array.from({ length: 10 }, () => sendCallback(at, signed(successOf(one))))
    assert.deepEqual([...new Set(await Promise.all(statuses))], [204])
    await eventually('the payment at the lab', async () => {
      const [order] = await ordersOf(gateway, one.id)
      return order?.executed === 1
    })
    assert.equal(await until(gateway, one.id, isEnd), 'CANCELLED')
    assert.deepEqual(await conflictsOf(one.id), ['late_success'])
    assert.deepEqual(await suspenseOf(one), [5000])
    assert.equal(await balance(gateway), before)
    const [order] = await ordersOf(gateway, one.id)
    assert.equal(order?.executed, 1)
  })

  it('that reports a payout after its failure posts it to suspense', async () => {
    // The lab pays out and sends its callback, after a signed callback said that it failed.
    const before = await balance(gateway)
    const one = await waiting('WALLETB_SN_CASHIN', paidWhenContinued)
    const data = { id: 'pt-1', status: 'failed', receive_amount: '5000', currency: 'XOF' }
    const failed = { ...data, client_reference: `${clientId}.${one.attemptId}` }
    const body = JSON.stringify({ id: 'EV_P', type: 'payout.failed', data: failed })
    assert.equal(await sendCallback(`${url}/callbacks/checkout-session`, signed(body)), 204)
    assert.equal(await until(gateway, one.id, isEnd), 'FAILED')
    assert.equal(await balance(gateway), before)
    await continuePayer(gateway, one.number)
    await eventually('the conflict', async () => (await conflictsOf(one.id)).length > 0)
    assert.deepEqual(await conflictsOf(one.id), ['late_success'])
    assert.deepEqual(await suspenseOf(one), [-5000])
    assert.equal(await until(gateway, one.id, isEnd), 'FAILED')
    assert.equal(await balance(gateway), before)
  })

  for (const [name, change] of [
    ['amount', { amount: '4950' }],
    ['currency', { currency: 'XAF' }],
  ] as const)
    it(`of another ${name} parks the transaction and posts the payment to suspense`, async () => {
      const one = await waiting('WALLETB_SN_CASHOUT')
      const before = await balance(gateway)
      for (let times = 0; times < 5; times += 1)
        assert.equal(await sendCallback(one.address, signed(successOf(one, change))), 204)
      const { body } = await call(gateway, `GET /api/v1/transaction/${one.id}`)
      assert.equal(body.transaction.Status, 'PROCESSING')
      assert.deepEqual(await conflictsOf(one.id), ['wrong_amount'])
      assert.deepEqual(await suspenseOf(one), [Number({ amount: '5000', ...change }.amount)])
      assert.equal(await balance(gateway), before)
    })

  it('for an unknown order is answered with 204 and counted', async () => {
    const unknown = await metric('unknown')
    const nobody = { attemptId: randomUUID(), page: 'cos-1' }
    const stranger = JSON.stringify(event(nobody, { payment_status: 'succeeded' }))
    assert.equal(await sendCallback(`${url}/callbacks/checkout-session`, signed(stranger)), 204)
    assert.equal(await metric('unknown'), unknown + 1)
  })
})

it('the ledger holds after these callbacks', () => assertMoney(gateway))
