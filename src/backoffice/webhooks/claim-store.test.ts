import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after, systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { announce, endedTransaction } from '#test/receiver.ts'
import { sized } from '#test/size.ts'
import { type ClaimTurn, claimDeliveries, firstTurn } from './claim-store.ts'
import { openWebhooks } from './open.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const parts = { db, clock, log: openLog('silent'), secretKey: Buffer.alloc(32) }
const webhooks = openWebhooks({ ...parts, mode: 'sandbox' })
const now = clock.now()
const later = after(now, 3_600_000)

/** Pending deliveries of a new client, each to an address of its own. */
async function newDeliveries(count: number, dueAt: Date, perAddress = 1): Promise<number> {
  const clientId = await newClient(db, clock)
  await announce({ db, webhooks }, [endedTransaction({ clientId, callbackUrl: null })])
  const [event] = await db<{ id: string }>`select id from events where client_id = ${clientId}`
  await owner`
    insert into deliveries (client_id, id, event_id, endpoint, url, state, due_at, created_at)
    select ${clientId}, gen_random_uuid(), ${event?.id ?? ''},
      format('https://shop-%s.example', lpad(n::text, 6, '0')), 'https://shop.example/hook',
      'pending', ${dueAt}, ${now}
    from generate_series(1, ${count}) n, generate_series(1, ${perAddress})`
  return clientId
}

function claim(turn: ClaimTurn, limit = 1000) {
  const order = { now, leaseEndsAt: later, perEndpoint: 20, limit, busyEndpoints: [] }
  return claimDeliveries(db, { ...order, turn })
}

/** The pages of indexes of deliveries that a claim reads. */
async function pagesRead(work: () => Promise<unknown>): Promise<number> {
  const pages = async () => {
    await db`select pg_stat_force_next_flush()`
    const [row] = await db<{ pages: number }>`
      select idx_blks_hit + idx_blks_read as pages from pg_statio_user_tables
      where relname = 'deliveries'`
    return row?.pages ?? 0
  }
  const before = await pages()
  await work()
  return (await pages()) - before
}

describe('deliveries that are due', async () => {
  const many = sized(5000, 50_000)
  const crowd = await newDeliveries(many, later)
  const flood = await newDeliveries(60, now, 30)
  const others = [await newDeliveries(2, now), await newDeliveries(2, now)]

  it('are claimed of all clients, beside one with very many addresses', async () => {
    const turn = firstTurn()
    const seen = new Set<number>()
    for (let round = 0; round < 3; round += 1)
      for (const { clientId } of await claim(turn)) seen.add(clientId)
    assert.deepEqual(seen, new Set([flood, ...others]))
    assert.deepEqual([...turn.endpoints.keys()], [crowd])
  })

  it('of addresses far behind are claimed in their turn, and then those of the first', async () => {
    const dueOf = (number: number) => `https://shop-${String(number).padStart(6, '0')}.example`
    const due = [dueOf(1), dueOf(many - 1)]
    await owner`
      update deliveries set due_at = ${now}
      where client_id = ${crowd} and endpoint = any(${due}::text[])`
    const turn = firstTurn()
    const claimed: string[] = []
    // One round more than it takes.
    for (let round = 0; round <= many / 500; round += 1)
      for (const { endpoint } of await claim(turn)) claimed.push(endpoint)
    assert.deepEqual(claimed, due)
    assert.equal(turn.endpoints.get(crowd), undefined)
    assert.deepEqual(await claim(turn), [])
    assert.equal(turn.endpoints.get(crowd), dueOf(500))
  })

  it('are given to the next clients when a claim is full', async () => {
    await owner`
      update deliveries set due_at = ${now} where client_id = any(${[flood, ...others]}::integer[])`
    const turn = firstTurn()
    const clients: number[][] = []
    for (let round = 0; round < 4; round += 1) {
      const jobs = await claim(turn, 3)
      clients.push([...new Set(jobs.map(({ clientId }) => clientId))].sort((a, b) => a - b))
    }
    const [one = 0, two = 0] = others
    assert.deepEqual(clients, [[flood], [one, two], [flood], [flood, two]])
  })

  for (const isAnalyzed of [false, true])
    it(`cost as much for many${isAnalyzed ? ', with statistics' : ''}`, async () => {
      if (isAnalyzed) await owner`vacuum analyze deliveries`
      const turn = firstTurn()
      const pages = await pagesRead(() => claim(turn))
      // Of 560 addresses; all of them would be 30,000 and more.
      assert.ok(pages < 20_000, `${pages} pages of indexes`)
    })
})
