import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { openLog } from '#base/log/log.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { eventually } from '#test/wait.ts'
import { type Db, json } from './db.ts'
import { claimDue, type Sweeper, startSweeper } from './due.ts'

const now = new Date('2026-01-15T10:00:00Z')
const leaseMs = 30_000
const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
await owner`create table jobs (
  client_id integer, id integer, due_at timestamptz, primary key (client_id, id))`
await owner`grant all on jobs to passerelle_app`

describe('claimDue', () => {
  beforeEach(() => owner`truncate jobs`)

  // what is due (ids with minutes before or after now), limit, ids claimed
  const scenarios: [string, Record<number, number | null>, number, number[]][] = [
    ['nothing from an empty table', {}, 10, []],
    ['rows that are due, to the very moment', { 1: -5, 2: 0 }, 10, [1, 2]],
    ['no row that is due later or has no date', { 1: 1, 2: null, 3: -1 }, 10, [3]],
    ['the oldest first', { 1: -1, 2: -9, 3: -5, 4: -7 }, 2, [2, 4]],
  ]
  for (const [name, minutes, limit, expected] of scenarios)
    it(`claims ${name}`, async () => {
      await fill(minutes)
      assert.deepEqual(await claim(db, limit), expected)
    })

  it('gives a row again when its lease ends, and not before', async () => {
    await fill({ 1: -5 })
    assert.deepEqual(await claim(db, 9), [1])
    assert.deepEqual(await claim(db, 9, leaseMs - 1), [])
    assert.deepEqual(await claim(db, 9, leaseMs), [1])
    assert.deepEqual(await claim(db, 9, leaseMs + 1), [])
  })

  it('keeps to the limit even when the planner believes the table is tiny', async () => {
    await fill({ 1: -1 })
    await owner`analyze jobs`
    await fill(Object.fromEntries(range(2, 40).map((id) => [id, -1])))
    assert.equal((await claim(db, 3)).length, 3)
  })

  it('skips a row that another transaction has locked', async () => {
    await fill({ 1: -5, 2: -4 })
    await db.transaction(async (tx) => {
      await tx`select from jobs where id = 1 for update`
      assert.deepEqual(await claim(connect(), 9), [2])
    })
  })

  it('never gives a row to two concurrent claimers', async () => {
    const others = [db, connect(), connect()]
    const claimers = fc.integer({ min: 2, max: 12 })
    const limits = fc.integer({ min: 1, max: 9 })
    await fc.assert(
      fc.asyncProperty(claimers, limits, async (count, limit) => {
        await owner`truncate jobs`
        await fill(Object.fromEntries(range(1, 60).map((id) => [id, -id])))
        const claimed = await Promise.all(
          range(1, count).map((one) => claimAll(others[one % 3] ?? db, limit)),
        )
        assert.deepEqual(claimed.flat().sort(byNumber), range(1, 60))
      }),
      { numRuns: 20 },
    )
  })
})

describe('startSweeper', () => {
  it('works on what is due, batch after batch, without a sleep after a full one', async (t) => {
    const done: number[][] = []
    const waiting = range(1, 5)
    const sweeper = sweep({
      claim: async () => waiting.splice(0, 2),
      work: async (rows) => void done.push(rows),
    })
    t.after(() => sweeper.stop())
    await until(() => done.length === 3)
    assert.deepEqual(done, [[1, 2], [3, 4], [5]])
  })

  it('claims with the time of its clock and the size of a batch', async (t) => {
    const asked: unknown[] = []
    const sweeper = sweep({
      claim: async (...question) => {
        asked.push(question)
        return []
      },
    })
    t.after(() => sweeper.stop())
    assert.deepEqual(asked, [[now, 2]])
  })

  it('claims again when it is woken, also while a claim is under way', async (t) => {
    let sweeps = 0
    const sweeper = sweep({
      claim: async () => {
        sweeps += 1
        if (sweeps === 2) sweeper.wake()
        return []
      },
    })
    t.after(() => sweeper.stop())
    await until(() => sweeps === 1)
    await turn()
    assert.equal(sweeps, 1)
    sweeper.wake()
    await until(() => sweeps === 3)
  })

  it('claims again by itself after its sleep', async (t) => {
    let sweeps = 0
    const sweeper = sweep({
      idleMs: 5,
      claim: async () => {
        sweeps += 1
        return []
      },
    })
    t.after(() => sweeper.stop())
    await until(() => sweeps >= 3)
  })
})

describe('a sweeper', () => {
  it('stops after the work under way, and claims nothing after it', async () => {
    const gate = Promise.withResolvers<void>()
    let claims = 0
    let isDone = false
    const sweeper = sweep({
      claim: async () => {
        claims += 1
        return [1, 2]
      },
      work: async () => {
        await gate.promise
        isDone = true
      },
    })
    await until(() => claims === 1)
    const stopped = sweeper.stop().then(() => assert.ok(isDone))
    await turn()
    assert.ok(!isDone)
    gate.resolve()
    await stopped
    assert.equal(claims, 1)
  })

  for (const failing of ['claim', 'work'] as const)
    it(`continues after a failed ${failing}`, async (t) => {
      let tries = 0
      const fail = async () => {
        tries += 1
        if (tries === 1) throw new Error('no')
        return [1]
      }
      const sweeper = sweep({
        idleMs: 5,
        claim: failing === 'claim' ? fail : async () => [1],
        work: failing === 'work' ? async () => void (await fail()) : async () => {},
      })
      t.after(() => sweeper.stop())
      await until(() => tries >= 3)
    })
})

interface Parts {
  claim(now: Date, limit: number): Promise<number[]>
  work(rows: number[]): Promise<void>
  idleMs: number
}

function sweep(parts: Partial<Parts>): Sweeper {
  return startSweeper<number>({
    name: 'test',
    batchMax: 2,
    idleMs: 60_000,
    claim: async () => [],
    work: async () => {},
    clock: testClock(now.toISOString()),
    log: openLog('silent'),
    ...parts,
  })
}

async function fill(minutes: Record<number, number | null>): Promise<void> {
  const rows = Object.entries(minutes).map(([id, minute]) => ({
    id,
    due_at: minute === null ? null : new Date(now.getTime() + minute * 60_000),
  }))
  await db`
    insert into jobs (client_id, id, due_at)
    select 1, id, due_at
    from jsonb_to_recordset(${json(rows)}) as j (id integer, due_at timestamptz)`
}

async function claim(from: Db, limit: number, laterMs = 0): Promise<number[]> {
  const at = new Date(now.getTime() + laterMs)
  const rows = await claimDue(from, { table: 'jobs', now: at, leaseMs, limit })
  return rows.map((row) => Number(row.id)).sort(byNumber)
}

async function claimAll(from: Db, limit: number): Promise<number[]> {
  const claimed: number[] = []
  for (;;) {
    const rows = await claim(from, limit)
    if (rows.length === 0) return claimed
    assert.ok(rows.length <= limit)
    claimed.push(...rows)
  }
}

const until = (isSo: () => boolean) => eventually(String(isSo), isSo)

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function byNumber(a: number, b: number): number {
  return a - b
}
