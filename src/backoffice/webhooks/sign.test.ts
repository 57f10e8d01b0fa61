import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { announce, endedTransaction, openReceiver } from '#test/receiver.ts'
import { openWebhooks } from './open.ts'
import { signatureHeaders } from './sign.ts'

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`
const id = 'evt_0190b8a2-0000-7000-8000-000000000001'

function signed(body: string, secrets: string[], sentAt = new Date()) {
  return signatureHeaders({ id, sentAt, body }, secrets)
}

/** Whether the reference library accepts the signature. */
function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** The text with this bit flipped in one byte: one variant for each byte. */
function flippedOf(text: string, bit: number): string[] {
  const bytes = Buffer.from(text)
  return [...bytes].map((byte, index) => {
    const copy = Buffer.from(bytes)
    copy[index] = byte ^ (1 << bit)
    return copy.toString('latin1')
  })
}

const bodies: [name: string, body: string][] = [
  ['an event', '{"id":"1","AMOUNT":5000,"CUSTOM_DATA":"{}"}'],
  ['an empty body', ''],
  ['letters beyond ASCII', '{"name":"Aïssatou Bâ — 漢字 🎉"}'],
  ['white space that matters', ' {\r\n "id" :\t1 }\n'],
  ['a long text', JSON.stringify({ text: 'x'.repeat(100_000) })],
]

describe('signatures of webhooks', () => {
  for (const [name, body] of bodies)
    it(`verify with the reference library over ${name}`, () => {
      const secret = newSecret()
      assert.ok(verifies(secret, body, signed(body, [secret])))
    })

  it('verify with each of 1,000 random secrets', () => {
    for (let count = 0; count < 1000; count += 1) {
      const secret = newSecret()
      const body = JSON.stringify({ count })
      assert.ok(verifies(secret, body, signed(body, [secret])), secret)
    }
  })

  it('fail when a bit of the body, the id, the time or the signature is flipped', () => {
    const secret = newSecret()
    const body = '{"id":"1","AMOUNT":5000}'
    const headers = signed(body, [secret])
    assert.ok(verifies(secret, body, headers), 'as it was sent')
    let tried = 0
    for (const bit of [0, 3, 7]) {
      for (const other of flippedOf(body, bit)) {
        tried += 1
        assert.ok(!verifies(secret, other, headers), `body ${other}`)
      }
      for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
        for (const other of flippedOf(headers[name] ?? '', bit)) {
          tried += 1
          assert.ok(!verifies(secret, body, { ...headers, [name]: other }), `${name} ${other}`)
        }
    }
    assert.ok(tried > 300)
  })

  it('fail under another secret, and when they are six minutes old', () => {
    const secret = newSecret()
    assert.ok(!verifies(newSecret(), '{}', signed('{}', [secret])))
    const old = signed('{}', [secret], new Date(Date.now() - 6 * 60_000))
    assert.ok(!verifies(secret, '{}', old))
  })

  it('verify under the old and the new secret during a rotation', () => {
    const [fresh, old] = [newSecret(), newSecret()]
    const headers = signed('{}', [fresh, old])
    assert.ok(verifies(fresh, '{}', headers))
    assert.ok(verifies(old, '{}', headers))
    assert.ok(!verifies(newSecret(), '{}', headers))
    assert.equal(headers['webhook-signature']?.split(' ').length, 2)
  })

  it('also come as a plain hex HMAC, keyed with the whole text of the secret', () => {
    const secret = newSecret()
    for (const [, body] of bodies) {
      const expected = createHmac('sha256', secret).update(body, 'utf8').digest('hex')
      assert.equal(signed(body, [secret, newSecret()])['x-webhook-signature'], expected)
    }
  })

  it('are left out without a secret, since anyone could sign with an empty key', () => {
    assert.deepEqual(Object.keys(signed('{}', [])), ['webhook-id', 'webhook-timestamp'])
  })
})

describe('webhooks that a receiver gets', async () => {
  const { db } = await testDatabase()
  const secretKey = randomBytes(32)
  const log = openLog('silent')

  it('verify before, during and after the rotation of a secret', async () => {
    const hour = 3_600_000
    const receiver = await openReceiver()
    const clientId = await newClient(db, clock)
    const add = (overlapMs: number) =>
      db.transaction((tx) => addWebhookSecret(tx, { secretKey, clock }, { clientId, overlapMs }))
    const send = async () => {
      const webhooks = openWebhooks({ db, clock, log, mode: 'sandbox', secretKey })
      const before = receiver.got.length
      await announce({ db, webhooks }, [endedTransaction({ clientId, callbackUrl: receiver.url })])
      const got = (await receiver.has(before + 1)).at(-1)
      await webhooks.stop()
      assert.equal(receiver.got.length, before + 1)
      const headers = got?.headers as Record<string, string>
      assert.equal(headers['content-type'], 'application/json')
      return { body: got?.body ?? '', headers }
    }
    const first = await add(0)
    const one = await send()
    assert.ok(verifies(first, one.body, one.headers))
    const second = await add(hour)
    const both = await send()
    assert.deepEqual(
      [first, second].map((secret) => verifies(secret, both.body, both.headers)),
      [true, true],
    )
    const plain = createHmac('sha256', second).update(both.body).digest('hex')
    assert.equal(both.headers['x-webhook-signature'], plain)
    const third = await add(0)
    const last = await send()
    assert.deepEqual(
      [first, second, third].map((secret) => verifies(secret, last.body, last.headers)),
      [false, false, true],
    )
  })

  it('have the same id and bytes on every try, and the time of the try', async () => {
    const manual = testClock()
    const receiver = await openReceiver((_got, response) => response.writeHead(500).end())
    const clientId = await newClient(db, clock)
    const webhooks = openWebhooks({ db, clock: manual, log, mode: 'sandbox', secretKey })
    const now = manual.now()
    await announce(
      { db, webhooks },
      [endedTransaction({ clientId, callbackUrl: `${receiver.url}/hook?a=b` })],
      now,
    )
    await receiver.has(1)
    // Waits for the recording: the next try is counted from the time before the clock moves.
    await webhooks.drain()
    webhooks.startSweeper()
    manual.advance(7000)
    const [first, second] = await receiver.has(2)
    await webhooks.stop()
    assert.match(first?.headers['webhook-id'] as string, /^evt_[0-9a-f-]{36}$/)
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
    assert.equal(first?.body, second?.body)
    assert.deepEqual([first?.path, second?.path], ['/hook?a=b', '/hook?a=b'])
    const seconds = [first, second].map((got) => Number(got?.headers['webhook-timestamp']))
    assert.deepEqual(seconds, [now.getTime() / 1000, now.getTime() / 1000 + 7])
  })
})
