import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey, revokeKey, rotateKey } from '#merchants/clients/keys.ts'
import { rotateWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver, type Received } from '#test/receiver.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

/*
 * The changes of docs/runbooks/rotation.md that need no restart, while payments go on; SECRET_KEY
 * is in rotation.test.ts.
 */

// As the runbook says for a provider's secret: the next one and that of until now.
const gateway = await liveGateway({
  bind: (one) => {
    const { webhookSecret } = one.credentials
    const both = webhookSecret && { webhookSecret: `the-next-secret ${webhookSecret}` }
    return { ...one, credentials: { ...one.credentials, ...both } }
  },
})
const { db, clientId } = gateway
const receiver = await openReceiver()
const callBackURL = receiver.url
const sealing = { secretKey: readConfig({}).secretKey, clock }
const issuing = { clock, mode: 'sandbox' } as const
const init = 'POST /api/v1/transaction/init'
const overlapMs = 3_600_000
const actor = 'test'
const times = sized(1, 5)

/** Pays with each of these secrets in turn while something is done; every answer must be 201. */
async function whilePaying(
  secrets: () => string[],
  work: (more: () => Promise<void>) => Promise<void>,
): Promise<string[]> {
  const ids: string[] = []
  let isOn = true
  const loop = async () => {
    for (let count = 0; isOn; count += 1) {
      const [secret = ''] = secrets().slice(count % secrets().length)
      const { status, text, body } = await call({ ...gateway, secret }, init, initBody(to))
      assert.equal(status, 201, text)
      ids.push(String(body.transaction.transactionId))
    }
  }
  const loops = Promise.all([loop(), loop()])
  const more = async () => {
    const from = ids.length
    await eventually('more payments', () => ids.length >= from + sized(4, 40))
  }
  try {
    await Promise.race([work(more), loops])
  } finally {
    isOn = false
  }
  await loops
  return ids
}

const to = { callBackURL }

async function webhookOf(id: string): Promise<Received> {
  return eventually(`the webhook of ${id}`, () =>
    receiver.got.find(({ body }) => body.includes(id)),
  )
}

function isVerified(secret: string, { body, headers }: Received): boolean {
  try {
    return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>))
  } catch {
    return false
  }
}

describe('a drill under load refuses no request', () => {
  it("of a merchant's API key, and the old secret ends with the overlap", async () => {
    const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
    const id = key?.id ?? ''
    let secrets = [gateway.secret]
    const ids = await whilePaying(
      () => secrets,
      async (more) => {
        for (let count = 0; count < times; count += 1) {
          const { secret } = await rotateKey({ db, ...issuing }, { id, overlapMs, actor })
          secrets = [secrets[0] ?? '', secret]
          await more()
          secrets = [secret]
          await more()
        }
      },
    )
    // The key keeps its identity: what it created is seen with each of its secrets.
    const [first = ''] = ids
    const [secret = ''] = secrets
    assert.equal(await until({ ...gateway, secret }, first, isEnd), 'SUCCESS')
    assert.equal(await until(gateway, first, isEnd), 'SUCCESS')
    const after = await rotateKey({ db, ...issuing }, { id, overlapMs: 0, actor })
    const seen = await call({ ...gateway, secret: after.secret }, `GET ${pathOf(first)}`)
    assert.equal(seen.status, 200)
    for (const old of [secret, gateway.secret]) await refused(old)
  })

  it("of a merchant's API key that leaked: another is issued, the old one revoked", async () => {
    const order = { clientId, label: 'drill', ratePerMinute: 10_000_000, actor }
    const leaked = await db.transaction((tx) => issueKey(tx, issuing, order))
    const next = await db.transaction((tx) => issueKey(tx, issuing, order))
    let secrets = [leaked.secret]
    await whilePaying(
      () => secrets,
      async (more) => {
        await more()
        secrets = [next.secret]
        await more()
        await revokeKey({ db, clock }, { id: leaked.id, actor })
        await refused(leaked.secret)
        await more()
      },
    )
  })

  it("of a merchant's webhook secret: each webhook verifies with the one of before", async () => {
    const { clientId: id, secret } = await gateway.newMerchant()
    const order = { clientId: id, overlapMs, actor }
    const before = await rotateWebhookSecret(db, sealing, order)
    let after = ''
    const ids = await whilePaying(
      () => [secret],
      async (more) => {
        await more()
        for (let count = 0; count < times; count += 1) {
          after = await rotateWebhookSecret(db, sealing, order)
          await more()
        }
      },
    )
    for (const one of ids) assert.ok(isVerified(before, await webhookOf(one)), one)
    // Secrets are read anew within a second.
    await eventually('the new secret signs beside the old one', async () => {
      const got = await webhookOf(await collected({ ...gateway, secret }, to))
      assert.ok(isVerified(before, got))
      return isVerified(after, got)
    })
    const last = await rotateWebhookSecret(db, sealing, { ...order, overlapMs: 0 })
    await eventually('after the overlap only the newest signs', async () => {
      const got = await webhookOf(await collected({ ...gateway, secret }, to))
      return isVerified(last, got) && !isVerified(before, got) && !isVerified(after, got)
    })
  })

  it("of a provider's secret: callbacks that the old one has signed are believed", async () => {
    const { secret } = await gateway.newMerchant()
    const id = await collected({ ...gateway, secret }, { serviceCode: 'WALLETB_SN_CASHOUT' })
    await eventually('the callback is evidence', async () => {
      const rows = await db`
        select from evidence where transaction_id = ${id} and source = 'callback'`
      return rows.length
    })
    await assertMoney(gateway)
  })
})

const pathOf = (id: string) => `/api/v1/transaction/${id}`

/** Waits until a secret is refused, as it must be within a second everywhere. */
async function refused(secret: string): Promise<void> {
  await eventually('the secret is refused', async () => {
    const { status } = await call({ ...gateway, secret }, 'GET /api/v1/api-services/balance')
    assert.ok([200, 401].includes(status), `${status}`)
    return status === 401
  })
}
