import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { openWebhooks } from '#backoffice/webhooks/open.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { driveOne } from '#money/transactions/sweep.ts'
import { openTokenSafe } from '#money/transactions/token-safe.ts'
import { openBiller, pay, payBody, topUpBody } from '#test/bills.ts'
import { call, contentsOf, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
// A provider with field names of its own for codes; it gives any caller an access token.
const odd = await openBiller(() => [500, ''])
let topped: object = {}
odd.answer = (request) => {
  if (request.includes('/oauth/')) return [200, { access_token: 'bearer', expires_in: 3600 }]
  if (request.includes('/subscribers/')) return [200, { accountNumber: '42' }]
  return [200, topped]
}
const gateway = await liveGateway({
  pace: 20,
  log,
  bind: (one) => (one.provider === 'OPERATOR1' ? { ...one, baseUrl: odd.url } : one),
})
const { db, newMerchant, newProcess, connect, url } = gateway
const owner = connect({ asOwner: true })
const merchant = async () => ({ url, ...(await newMerchant()) })

/** A receiver that answers with the code in several spellings, and with all it was sent. */
const echo = await openReceiver(({ body, headers }, response) => {
  const { TOKEN = '' } = JSON.parse(body)
  const spellings = [TOKEN, TOKEN.replaceAll(/\D/g, ''), TOKEN.replaceAll('-', ' ')]
  response.statusCode = 400
  response.end(`${spellings.join('|')} ${body} ${JSON.stringify(headers)}`)
})
const codes: string[] = []

/** Fails if a code stands anywhere in these texts, however its digits are grouped. */
function assertHidden(texts: string[], where: string): void {
  const bare = texts.map((text) => text.replaceAll(/[\s\\".,;:-]/g, '')).join('\n')
  for (const code of codes.flatMap((one) => one.split(' '))) {
    const digits = code.replaceAll('-', '')
    assert.ok(digits.length === 20)
    assert.ok(!bare.includes(digits), `${where} has the code ${code}`)
    // A part of a code makes it easier to guess.
    assert.ok(!bare.includes(digits.slice(0, 12)), `${where} has part of the code ${code}`)
  }
}

describe('recharge codes', () => {
  it('reach their merchant by answer, repetition, lookup and webhook', async () => {
    const caller = await merchant()
    for (const [customer, steps] of [
      ['200000001', undefined],
      ['200000002', undefined],
      ['200000006', undefined],
      ['200000007', undefined],
      // Another amount, so that it is a conflict.
      ['200000001', [{ do: 'succeed', amount: 4000 }]],
    ] as const) {
      if (steps !== undefined) await script(gateway, customer, [...steps])
      const body = topUpBody({ reference_client: customer, callBackURL: echo.url })
      const key = { 'Idempotency-Key': `token-${codes.length}` }
      const first = await pay(caller, body, key)
      assert.equal(first.status, 201, first.text)
      const { transactionId } = first.body.transaction
      if (steps !== undefined) continue
      assert.equal(await until(caller, transactionId, isEnd), 'SUCCESS')
      assert.equal((await pay(caller, body, key)).text, first.text)
      const { token } = (await pay(caller, body)).body.transaction
      const looked = await call(caller, `GET /api/v1/transaction/${transactionId}`)
      assert.equal(looked.body.transaction.token, token)
      codes.push(token)
    }
    const got = await echo.has(codes.length)
    assert.deepEqual(new Set(got.map(({ body }) => JSON.parse(body).TOKEN)), new Set(codes))
    const [parked] = await db`select from transactions where attempt_state = 'parked'`
    assert.ok(parked !== undefined)
    const kept = db<{ excerpt: string }>`select excerpt from delivery_attempts`
    await eventually('a delivery attempt', async () => (await kept).length > 0)
  })

  it('are found by concurrent status queries', async () => {
    const caller = await merchant()
    await script(gateway, '200000001', [{ do: 'delay', ms: 1 }, { do: 'succeed' }])
    const { transaction } = (await pay(caller, topUpBody({ callBackURL: echo.url }))).body
    const id = { clientId: caller.clientId, id: transaction.transactionId }
    await Promise.all(Array.from({ length: 4 }, () => driveOne(gateway.transactions.context, id)))
    assert.equal(await until(caller, id.id, isEnd), 'SUCCESS')
    const looked = await call(caller, `GET /api/v1/transaction/${id.id}`)
    codes.push(looked.body.transaction.token)
  })

  it('are in clear text in no table of the database', async () => {
    await eventually('every event to be tried', async () => {
      const [row] = await db<{ count: number }>`select count(*) from deliveries where tries = 0`
      return row?.count === 0
    })
    assert.ok(codes.length >= 5)
    const contents = await contentsOf(owner)
    for (const [table, rows] of Object.entries(contents)) assertHidden(rows, table)
    // The stored excerpts of answers have the codes masked.
    const excerpts = contents.delivery_attempts?.filter((row) => row.includes('***')) ?? []
    assert.ok(excerpts.length >= codes.length)
    const sealed = await db`select from transactions where sealed_token like 'sealed:%'`
    assert.equal(sealed.length, codes.length)
  })

  it('are in no line of the log', () => {
    assert.ok(lines.length > 10)
    assertHidden(lines, 'the log')
  })

  it('are masked in evidence even in unknown fields', async () => {
    const code = '5501-7722-9043-1187-6230'
    codes.push(code)
    for (const spelling of [code, code.replaceAll('-', ''), '55017-72290-43118-76230'])
      for (const body of [
        { status: 'SUCCESSFUL', pinDetails: { info1: `Votre code : ${spelling}` } },
        { errorCode: 'X', message: spelling },
      ]) {
        topped = body
        const answer = await call(gateway, 'POST /api/v1/transaction/init', {
          externalTransactionId: `odd-${randomBytes(4).toString('hex')}`,
          serviceCode: 'OPERATOR1_SN_AIRTIME',
          amount: 500,
          number: '771234567',
          callBackURL: echo.url,
          successUrl: echo.url,
          failureUrl: echo.url,
        })
        assert.equal(answer.status, 201, answer.text)
      }
    const evidence = (await contentsOf(owner)).evidence ?? []
    assert.ok(evidence.some((row) => row.includes('Votre code : ****')))
    assertHidden(evidence, 'evidence')
  })
})

describe('a second process', () => {
  it('delivers the event with a code that a stopped one left behind', async () => {
    const caller = await merchant()
    const receiver = await openReceiver()
    const dead = await newProcess()
    await dead.webhooks.stop()
    const body = topUpBody({ reference_client: '200000001', callBackURL: receiver.url })
    const { transaction } = (await pay({ ...caller, url: dead.url }, body)).body
    assert.equal(transaction.Status, 'SUCCESS')
    codes.push(transaction.token)
    assert.equal(receiver.got.length, 0)
    // As when its lease has ended.
    await owner`update deliveries set due_at = now() where client_id = ${caller.clientId}`
    const [got] = await receiver.has(1)
    assert.equal(JSON.parse(got?.body ?? '{}').TOKEN, transaction.token)
    await dead.stop()
  })
})

describe('with another SECRET_KEY', () => {
  const secretKey = randomBytes(32)

  it('codes cannot be opened, and the error says why', async () => {
    const rows = await db<{ clientId: number; id: string; sealedToken: string }>`
      select client_id as "clientId", id, sealed_token as "sealedToken" from transactions
      where sealed_token is not null`
    const [own, other] = [gateway.transactions.context.tokens, openTokenSafe(secretKey)]
    for (const row of rows) {
      assert.ok(codes.includes(own.open(row) ?? ''))
      assert.throws(() => other.open(row), /SECRET_KEY is not the one it was sealed with/)
    }
    // Nor can the code of one transaction be opened as that of another.
    const [one, two] = rows
    assert.ok(one && two)
    assert.throws(() => own.open({ ...one, sealedToken: two.sealedToken }), /SECRET_KEY/)
    assert.throws(() => own.open({ ...one, clientId: 9 }), /SECRET_KEY/)
  })

  it('a webhook that cannot be opened does not delay others', async () => {
    const caller = await merchant()
    const receiver = await openReceiver()
    const dead = await newProcess()
    // The gateway's own sweeper, which runs twice a second, must not deliver them first.
    await Promise.all([dead.webhooks.stop(), gateway.webhooks.stop()])
    const callBackURL = receiver.url
    const sealed = await pay({ ...caller, url: dead.url }, topUpBody({ callBackURL }))
    const customer = { reference_client: '100000002' }
    const plain = await pay({ ...caller, url: dead.url }, payBody({ ...customer, callBackURL }))
    assert.deepEqual([sealed.status, plain.status], [201, 201])
    codes.push(sealed.body.transaction.token)
    await dead.stop()
    const stranger = openWebhooks({ db: connect(), clock, log, mode: 'sandbox', secretKey })
    after(() => stranger.stop())
    const claimed = await db<{ id: string }>`
      select id from deliveries where client_id = ${caller.clientId}`
    assert.equal(claimed.length, 2)
    await owner`update deliveries set due_at = now() where client_id = ${caller.clientId}`
    stranger.startSweeper()
    const [got] = await receiver.has(1)
    assert.equal(JSON.parse(got?.body ?? '{}').id, plain.body.transaction.transactionId)
    await stranger.stop()
    assert.equal(receiver.got.length, 1)
    assert.ok(lines.some((line) => line.includes('a delivery cannot be opened')))
    const rescuer = await newProcess()
    await owner`update deliveries set due_at = now()
      where client_id = ${caller.clientId} and state = 'pending'`
    const [, late] = await receiver.has(2)
    assert.equal(JSON.parse(late?.body ?? '{}').TOKEN, sealed.body.transaction.token)
    await rescuer.stop()
  })
})

it('no code is in any table or log line in the end', async () => {
  for (const [table, rows] of Object.entries(await contentsOf(owner))) assertHidden(rows, table)
  assertHidden(lines, 'the log')
  await assertMoney({ db })
})
