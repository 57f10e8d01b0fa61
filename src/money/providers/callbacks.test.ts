import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { type Service, services } from '#merchants/catalog/services.ts'
import { newAttempt } from '#test/attempt.ts'
import { eventually } from '#test/wait.ts'
import { startLab } from '../../../lab/server.ts'
import { sandboxBindings } from './bindings.ts'
import type { Operation } from './contract.ts'
import { openProviders } from './open.ts'

interface Received {
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const received: Received[] = []
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    received.push({
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
    })
    response.writeHead(204).end()
  })
})
await new Promise<void>((done) => void receiver.listen(0, '127.0.0.1', done))
const ourUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
const lab = await startLab({ pace: 20, webhookUrl: `${ourUrl}/webhook` })
const log = pino({ level: 'silent' })
const providers = openProviders({ bindings: sandboxBindings(lab.url), log })
after(async () => {
  providers.close()
  await lab.close()
  receiver.closeAllConnections()
  receiver.close()
})

/** Sends an order for a demo number, then waits until this many of its callbacks have arrived. */
async function callbacksAbout(code: string, operation: Operation, phone: string, count: number) {
  const service = services.find((one) => one.code === code) as Service
  const { connector } = providers.find(service) ?? assert.fail()
  const id = randomUUID()
  const callbackUrl = `${ourUrl}/callbacks/${id}/code`
  const attempt = newAttempt(service, operation, { id, phone, callbackUrl })
  if (connector.prepare) {
    const prepared = await connector.prepare(attempt)
    if ('reference' in prepared) attempt.reference = prepared.reference
  }
  const sent = await connector.submit(attempt)
  if ('reference' in sent) attempt.reference = sent.reference
  if (operation === 'collect') await connector.confirm?.(attempt, '123456')
  const isAbout = ({ url, body }: Received) =>
    url.includes(attempt.id) || body.includes(`7.${attempt.id}`)
  await eventually(`${count} callbacks`, () => received.filter(isAbout).length >= count)
  const callbacks = received.filter(isAbout)
  assert.equal(callbacks.length, count)
  return { attempt, connector, callbacks }
}

describe('unsigned callbacks', () => {
  const cases: [string, Operation][] = [
    ['WALLETA_SN_CASHOUT', 'collect'],
    ['WALLETA_SN_CASHIN', 'disburse'],
    ['WALLETF_CI_CASHOUT', 'collect'],
    ['WALLETF_CI_CASHIN', 'disburse'],
    ['WALLETD_SN_CASHOUT', 'collect'],
    ['WALLETD_SN_CASHIN', 'disburse'],
  ]
  for (const [code, operation] of cases)
    it(`${code} ${operation}: a success is a hint, and repeats share a dedupe key`, async () => {
      const { connector, callbacks } = await callbacksAbout(code, operation, '770000007', 5)
      const now = new Date()
      const claims = callbacks.map((one) => connector.readCallback({ ...one, now }))
      assert.ok(claims.every((claim) => claim?.trust === 'hint'))
      assert.ok(claims.every((claim) => claim?.outcome.kind === 'unknown'))
      assert.ok(claims.every((claim) => claim?.claimedResult === 'success'))
      assert.equal(new Set(claims.map((claim) => claim?.dedupeKey)).size, 1)
    })

  it('a failure is only a hint, whose reason contains the error code', async () => {
    const { connector, callbacks } = await callbacksAbout(
      'WALLETA_SN_CASHOUT',
      'collect',
      '770000001',
      1,
    )
    const [one = assert.fail()] = callbacks
    const claim = connector.readCallback({ ...one, now: new Date() })
    assert.ok(claim?.outcome.kind === 'unknown')
    assert.equal(claim.claimedResult, 'failure')
    assert.match(claim.outcome.reason, /insufficientFunds/)
  })

  it('a body that is not a callback is not read', () => {
    for (const { connector } of providers.all())
      for (const text of ['', 'null', '[]', '{}', '<html>', '{"status":1}', '{"data":{}}'])
        assert.equal(
          connector.readCallback({ headers: {}, body: Buffer.from(text), now: new Date() }),
          undefined,
        )
  })
})

describe('signed callbacks of the lab', () => {
  const reader = providers.callbackReaderOf('checkout-session') ?? assert.fail()
  const cases: [string, Operation][] = [
    ['WALLETB_SN_CASHOUT', 'collect'],
    ['WALLETB_CI_CASHIN', 'disburse'],
  ]
  for (const [code, operation] of cases) {
    it(`${code} ${operation}: names its attempt, and copies have one dedupe key`, async () => {
      const { attempt, callbacks } = await callbacksAbout(code, operation, '770000007', 5)
      const claims = callbacks.map((one) => reader.readCallback({ ...one, now: new Date() }))
      for (const claim of claims) {
        assert.equal(claim?.trust, 'signed')
        assert.deepEqual(claim?.attempt, { clientId: 7, id: attempt.id })
        assert.ok(claim?.outcome.kind === 'succeeded')
        assert.deepEqual([claim.outcome.amount, claim.outcome.currency], [500, 'XOF'])
        assert.equal(claim.outcome.reference, attempt.reference)
        assert.ok(!JSON.stringify(claim.outcome).includes('770000007'))
      }
      assert.equal(new Set(claims.map((claim) => claim?.dedupeKey)).size, 1)
    })

    it(`${code} ${operation}: reports the amount that was paid`, async () => {
      const { callbacks } = await callbacksAbout(code, operation, '770000010', 1)
      const [one = assert.fail()] = callbacks
      const claim = reader.readCallback({ ...one, now: new Date() })
      assert.ok(claim?.outcome.kind === 'succeeded')
      assert.equal(claim.outcome.amount, 450)
    })

    it(`${code} ${operation}: a contradicting callback has another dedupe key`, async () => {
      const { callbacks } = await callbacksAbout(code, operation, '770000008', 2)
      const claims = callbacks.map((one) => reader.readCallback({ ...one, now: new Date() }))
      assert.deepEqual(
        claims.map((claim) => claim?.outcome.kind),
        ['succeeded', 'declined'],
      )
      assert.notEqual(claims[0]?.dedupeKey, claims[1]?.dedupeKey)
    })

    it(`${code} ${operation}: a forged callback is not read`, async () => {
      const { callbacks } = await callbacksAbout(code, operation, '770000013', 2)
      const claims = callbacks.map((one) => reader.readCallback({ ...one, now: new Date() }))
      assert.equal(claims[0], undefined)
      assert.equal(claims[1]?.outcome.kind, 'declined')
    })
  }

  it('a protocol without a bound provider has no reader', () => {
    assert.equal(providers.callbackReaderOf('nobody'), undefined)
  })
})

describe('callback signatures', () => {
  const secret = 'lab_checkout_secret'
  const now = new Date('2026-01-15T10:00:00Z')
  const unix = now.getTime() / 1000
  const body = Buffer.from(
    JSON.stringify({
      id: 'EV_1',
      type: 'payout.completed',
      data: {
        id: 'pt-1',
        status: 'succeeded',
        receive_amount: '500',
        currency: 'XOF',
        client_reference: '7.b1946ac9-2d5f-4e0e-8f5d-6f1f3a1c0001',
      },
    }),
  )
  const sign = (time: number | string, bytes: Buffer, key = secret) =>
    createHmac('sha256', key).update(String(time)).update(bytes).digest('hex')
  const right = sign(unix, body)
  const read = (header: unknown, bytes = body) => {
    const headers = { 'checkout-signature': header as string }
    const reader = providers.callbackReaderOf('checkout-session') ?? assert.fail()
    return reader.readCallback({ headers, body: bytes, now })
  }

  // name, header, whether the signature is accepted
  const headers: [string, unknown, boolean][] = [
    ['right', `t=${unix},v1=${right}`, true],
    ['right, with spaces', `t=${unix}, v1=${right}`, true],
    ['right in capitals', `t=${unix},v1=${right.toUpperCase()}`, true],
    ['right beside a wrong one', `t=${unix},v1=${'0'.repeat(64)},v1=${right}`, true],
    ['five minutes old', `t=${unix - 300},v1=${sign(unix - 300, body)}`, true],
    ['over five minutes old', `t=${unix - 301},v1=${sign(unix - 301, body)}`, false],
    ['over five minutes ahead', `t=${unix + 301},v1=${sign(unix + 301, body)}`, false],
    ['another time than was signed', `t=${unix - 1},v1=${right}`, false],
    ['another secret', `t=${unix},v1=${sign(unix, body, 'lab_wrong_secret')}`, false],
    ['an empty secret', `t=${unix},v1=${sign(unix, body, '')}`, false],
    ['another version', `t=${unix},v0=${right}`, false],
    ['no signature', `t=${unix}`, false],
    ['no time', `v1=${right}`, false],
    ['a time that is not a number', `t=NaN,v1=${sign('NaN', body)}`, false],
    ['a short signature', `t=${unix},v1=${right.slice(0, 62)}`, false],
    ['no header', undefined, false],
    ['two headers', [`t=${unix},v1=${right}`], false],
    ['an empty header', '', false],
  ]
  for (const [name, header, isAccepted] of headers)
    it(`${name}: ${isAccepted ? 'accepted' : 'rejected'}`, () => {
      assert.equal(read(header) !== undefined, isAccepted)
    })

  it('a changed byte makes the signature wrong', () => {
    const flips = fc.tuple(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(flips, ([at, mask]) => {
        const altered = Buffer.from(body)
        altered.writeUInt8(altered.readUInt8(at) ^ mask, at)
        assert.equal(read(`t=${unix},v1=${right}`, altered), undefined)
      }),
    )
  })

  it('a signed body that is not a callback is not read', () => {
    for (const text of ['', 'null', '{}', '{"id":"EV_1","type":"x","data":{}}']) {
      const bytes = Buffer.from(text)
      assert.equal(read(`t=${unix},v1=${sign(unix, bytes)}`, bytes), undefined)
    }
  })

  it('a reference that is not ours names no attempt', () => {
    const bytes = Buffer.from(body.toString().replace('"7.b1946ac9', '"order-b1946ac9'))
    const claim = read(`t=${unix},v1=${sign(unix, bytes)}`, bytes)
    assert.equal(claim?.attempt, null)
  })
})
