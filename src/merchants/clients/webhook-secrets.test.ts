import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { addWebhookSecret, webhookSecretsOf } from './webhook-secrets.ts'

const hourMs = 3_600_000
const { db, connect } = await testDatabase()
const clock = testClock()
const sealing = { secretKey: Buffer.alloc(32, 9), clock }

async function add(clientId: number, overlapMs: number, secret?: string): Promise<string> {
  clock.advance(1)
  const order = { clientId, overlapMs, ...(secret === undefined ? {} : { secret }) }
  return db.transaction((tx) => addWebhookSecret(tx, sealing, order))
}
const secretsOf = async (clientId: number) => {
  const [secrets] = await webhookSecretsOf(db, sealing, [clientId])
  return secrets
}

describe('webhook secrets', () => {
  it('have the format of Standard Webhooks, with 192 random bits', async () => {
    const secret = await add(await newClient(db, clock), 0)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{32}$/)
  })

  it('can be given by the caller; a new client has none', async () => {
    const clientId = await newClient(db, clock)
    assert.deepEqual(await secretsOf(clientId), [])
    await add(clientId, 0, 'whsec_Z2l2ZW4=')
    assert.deepEqual(await secretsOf(clientId), ['whsec_Z2l2ZW4='])
  })

  it('are all valid during a rotation, newest first, until the overlap ends', async () => {
    const clientId = await newClient(db, clock)
    const old = await add(clientId, 0)
    const fresh = await add(clientId, hourMs)
    assert.deepEqual(await secretsOf(clientId), [fresh, old])
    clock.advance(hourMs - 1)
    assert.deepEqual(await secretsOf(clientId), [fresh, old])
    clock.advance(1)
    assert.deepEqual(await secretsOf(clientId), [fresh])
  })

  it('end at once without an overlap, and another rotation never postpones their end', async () => {
    const clientId = await newClient(db, clock)
    await add(clientId, 0)
    const second = await add(clientId, 0)
    assert.deepEqual(await secretsOf(clientId), [second])
    const third = await add(clientId, hourMs)
    const fourth = await add(clientId, 2 * hourMs)
    clock.advance(hourMs)
    assert.deepEqual(await secretsOf(clientId), [fourth, third])
  })

  it('of several clients are returned client by client', async () => {
    const [one, none, other] = [
      await newClient(db, clock),
      await newClient(db, clock),
      await newClient(db, clock),
    ]
    const [first, second] = [await add(one, 0), await add(other, 0)]
    const third = await add(one, hourMs)
    const expected = [[second], [], [third, first]]
    assert.deepEqual(await webhookSecretsOf(db, sealing, [other, none, one]), expected)
  })

  it('are sealed at rest', async () => {
    const clientId = await newClient(db, clock)
    const secret = await add(clientId, 0)
    const [row] = await db<{ sealed: Buffer }>`
      select sealed from webhook_secrets where client_id = ${clientId}`
    assert.ok(!row?.sealed.includes(secret.slice(6)))
    assert.ok(!row?.sealed.includes(Buffer.from(secret.slice(6), 'base64')))
  })

  it('cannot be unsealed with another key, or as another client’s', async () => {
    const [clientId, thief] = [await newClient(db, clock), await newClient(db, clock)]
    await add(clientId, 0)
    const otherKey = { ...sealing, secretKey: Buffer.alloc(32, 8) }
    await assert.rejects(webhookSecretsOf(db, otherKey, [clientId]))
    const owner = connect({ asOwner: true })
    await owner`update webhook_secrets set client_id = ${thief} where client_id = ${clientId}`
    await assert.rejects(secretsOf(thief))
  })
})
