import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { openSubMerchants } from './open.ts'

const { db, connect } = await testDatabase()
const clock = testClock()
// Two processes.
const rooms = [db, connect()].map((own) => openSubMerchants({ db: own, clock }))
const facts = {
  name: 'Shop',
  commercialName: 'Shop',
  countries: ['SN' as const],
  description: null,
  legalName: null,
  businessActivity: null,
  managerName: null,
  websiteUrl: null,
  phoneNumber: null,
  city: null,
  address: null,
  zipcode: null,
}

function roomOf(turn: number) {
  const subMerchants = rooms[turn % rooms.length]
  assert.ok(subMerchants !== undefined)
  return subMerchants
}

/** Runs `work` concurrently so many times, in the processes in turn. */
function together<T>(times: number, work: (turn: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, turn) => work(turn)))
}

function createAll(clientId: number, times: number) {
  return together(times, (turn) => roomOf(turn).create(clientId, facts))
}

async function defaultsOf(clientId: number): Promise<string[]> {
  const { found } = await roomOf(0).list(clientId, { page: 1, limit: 100 })
  return found.filter(({ isDefault }) => isDefault).map(({ id }) => id)
}

describe('concurrently', () => {
  for (const times of [2, 20])
    it(`${times} first creations make one default, and numbers without a gap`, async () => {
      const clients = await Promise.all([1, 2, 3].map(() => newClient(db, clock)))
      await Promise.all(
        clients.map(async (clientId) => {
          const created = await createAll(clientId, times)
          const first = created.filter(({ isDefault }) => isDefault)
          assert.equal(first.length, 1)
          assert.deepEqual(await defaultsOf(clientId), [first[0]?.id])
          const rows = await db<{ number: number; isFirst: boolean }>`
            select number, is_default as "isFirst" from sub_merchants
            where client_id = ${clientId} order by number`
          assert.deepEqual(
            rows,
            rows.map((_, index) => ({ number: index + 1, isFirst: index === 0 })),
          )
          assert.equal(rows.length, times)
        }),
      )
    })

  it('making each of them the default leaves one default', async () => {
    const clientId = await newClient(db, clock)
    const created = await createAll(clientId, 10)
    const changed = await together(10, (turn) => {
      const { id = '' } = created[turn] ?? {}
      return roomOf(turn).change({ clientId, id, change: { isDefault: true } })
    })
    assert.ok(changed.every(({ isDefault }) => isDefault))
    assert.equal((await defaultsOf(clientId)).length, 1)
  })

  it('changes of any kind leave at most one default, and it is active', async () => {
    const clientId = await newClient(db, clock)
    const created = await createAll(clientId, 4)
    const changes = [{ isDefault: true }, { isActive: false }, { isActive: true }]
    const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T
    const ended = await together(120, (turn) =>
      turn % 30 === 0
        ? roomOf(turn)
            .create(clientId, facts)
            .then(() => 'done')
        : roomOf(turn)
            .change({ clientId, id: pick(created).id, change: pick(changes) })
            .then(() => 'done')
            .catch((problem: Error) => problem.message),
    )
    const refusal = '{field} can only be true for an active sub-merchant'
    assert.deepEqual(
      ended.filter((end) => end !== 'done' && end !== refusal),
      [],
    )
    assert.ok((await defaultsOf(clientId)).length <= 1)
    const [wrong] = await db<{ count: number }>`
      select count(*) from sub_merchants where is_default and not is_active`
    assert.equal(wrong?.count, 0)
  })

  it('changes of different fields of one sub-merchant all persist', async () => {
    const clientId = await newClient(db, clock)
    const { id } = await roomOf(0).create(clientId, facts)
    const all = ['city', 'address', 'zipcode', 'legalName', 'managerName', 'phoneNumber']
    await together(all.length, (turn) => {
      const change = { [String(all[turn])]: 'new' }
      return roomOf(turn).change({ clientId, id, change })
    })
    const [row] = await db`
      select city, address, zipcode, legal_name, manager_name, phone_number from sub_merchants
      where client_id = ${clientId}`
    assert.deepEqual(new Set(Object.values(row ?? {})), new Set(['new']))
  })
})
