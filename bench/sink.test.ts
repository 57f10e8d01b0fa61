import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Pool } from 'undici'
import type { Sink } from './programs.ts'
import { startSink } from './programs.ts'

describe('the sink', () => {
  let sink: Sink
  let pool: Pool
  before(async () => {
    sink = await startSink()
    pool = new Pool(sink.url, { connections: 4, pipelining: 1 })
  })
  after(async () => {
    await pool.close()
    await sink.stop()
  })

  const post = async (path: string, id: string) => {
    const body = JSON.stringify({ nom: 'Aïssatou 🧾'.repeat(10_000) })
    const answer = await pool.request({ path, method: 'POST', headers: { 'webhook-id': id }, body })
    await answer.body.dump()
    return answer.statusCode
  }

  it('counts what comes to an address, the same event once', async () => {
    const beforeMs = Date.now()
    const ids = Array.from({ length: 50 }, (_, index) => `event-${index % 40}`)
    const statuses = await Promise.all([...ids.map((id) => post('/a', id)), post('/b', 'event-0')])
    assert.deepEqual(new Set(statuses), new Set([204]))
    const { count, firstMs, lastMs } = await sink.received('/a')
    assert.equal(count, 40)
    assert.ok(firstMs >= beforeMs - 1 && firstMs <= lastMs && lastMs <= Date.now() + 1)
    assert.equal((await sink.received('/b')).count, 1)
  })

  it('tells when nothing has come', async () => {
    assert.deepEqual(await sink.received('/none'), { count: 0, firstMs: 0, lastMs: 0 })
  })
})
