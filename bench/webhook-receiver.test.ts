import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Pool } from 'undici'
import { startWebhookReceiver, type WebhookReceiver } from './child-processes.ts'

describe('the webhook receiver', () => {
  let receiver: WebhookReceiver
  let pool: Pool
  before(async () => {
    receiver = await startWebhookReceiver()
    pool = new Pool(receiver.url, { connections: 4, pipelining: 1 })
  })
  after(async () => {
    await pool.close()
    await receiver.stop()
  })

  const post = async (path: string, id: string) => {
    const body = JSON.stringify({ nom: 'Aïssatou 🧾'.repeat(10_000) })
    const answer = await pool.request({ path, method: 'POST', headers: { 'webhook-id': id }, body })
    await answer.body.dump()
    return answer.statusCode
  }

  it('counts distinct events by path', async () => {
    const beforeMs = Date.now()
    const ids = Array.from({ length: 50 }, (_, index) => `event-${index % 40}`)
    const statuses = await Promise.all([...ids.map((id) => post('/a', id)), post('/b', 'event-0')])
    assert.deepEqual(new Set(statuses), new Set([204]))
    const { count, firstMs, lastMs } = await receiver.received('/a')
    assert.equal(count, 40)
    assert.ok(firstMs >= beforeMs - 1 && firstMs <= lastMs && lastMs <= Date.now() + 1)
    assert.equal((await receiver.received('/b')).count, 1)
  })

  it('reports zero for a path that received nothing', async () => {
    assert.deepEqual(await receiver.received('/none'), { count: 0, firstMs: 0, lastMs: 0 })
  })
})
