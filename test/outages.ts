import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, openDb } from '#data/db/db.ts'
import { call, initBody } from './live.ts'
import { type Gateway, postmasterOf } from './program.ts'
import { eventually } from './wait.ts'

interface Caller {
  url: string
  secret: string
}

/** The database of a gateway with an embedded PostgreSQL, as its owner. */
export function databaseOf(folder: string): Db {
  const host = encodeURIComponent(join(folder, 'socket'))
  const url = `postgresql://passerelle@/passerelle?host=${host}&port=5432&sslmode=disable`
  // Not a name by which the server would be left running for us.
  const db = openDb({ url, name: 'test', connectionsMax: 2 })
  after(() => db.close().catch(() => {}))
  return db
}

/** Kills the PostgreSQL of a folder, and returns its pid. */
export async function killPostmaster(folder: string): Promise<number> {
  const pid = await postmasterOf(folder)
  assert.ok(pid !== null)
  process.kill(pid, 'SIGKILL')
  return pid
}

export async function becomesReady(gateway: Gateway): Promise<void> {
  await eventually('ready again', async () => (await gateway.get('/readyz')).status === 200)
}

/** Waits until every transaction has ended, without the long back-offs. */
export async function allEnd(db: Db): Promise<void> {
  let open: object[] = []
  await eventually(
    () => `the end of ${JSON.stringify(open)}`,
    async () => {
      // Later than a lease can end: it is a back-off, and no process works on the row.
      await db`
        update transactions set due_at = now()
        where completed_at is null and due_at > now() + interval '20 seconds'`
      open = await db`
        select id, status, attempt_state, polls, due_at - now() as due_in
        from transactions where completed_at is null limit 10`
      return open.length === 0
    },
  )
}

/** Sends payments from four callers until `end`. */
export function startPayments(caller: Caller) {
  const acknowledged = new Map<string, number>()
  const refusals: { externalId: string; status: number; message: string; tookMs: number }[] = []
  let isOver = false
  const callers = Array.from({ length: 4 }, async (_, index) => {
    while (!isOver) {
      const body = initBody({ amount: 300 + index })
      const startedMs = performance.now()
      const { status, body: answer } = await call(caller, 'POST /api/v1/transaction/init', body)
      if (status === 201) acknowledged.set(answer.transaction.transactionId, body.amount)
      else {
        const [message] = answer.message as [string]
        const tookMs = performance.now() - startedMs
        refusals.push({ externalId: body.externalTransactionId, status, message, tookMs })
        await sleep(20)
      }
    }
  })
  return {
    refusals,
    reaches: (more: number) => {
      const goal = acknowledged.size + more
      return eventually(`${goal} payments`, () => acknowledged.size >= goal)
    },
    end: async () => {
      isOver = true
      await Promise.all(callers)
      return { acknowledged, refusals }
    },
  }
}

type Ended = Awaited<ReturnType<ReturnType<typeof startPayments>['end']>>

/**
 * Fails unless every payment that was acknowledged is recorded, everything else got a 503, and none
 * of which a 503 said that it was not carried out is recorded.
 */
export async function assertHonest(db: Db, { acknowledged, refusals }: Ended): Promise<void> {
  const rows = await db<{ id: string; externalId: string; amount: number }>`
    select id, external_id as "externalId", amount from transactions`
  const amounts = new Map(rows.map(({ id, amount }) => [id, amount]))
  for (const [id, amount] of acknowledged) assert.equal(amounts.get(id), amount, id)
  const recorded = new Set(rows.map(({ externalId }) => externalId))
  for (const { externalId, status, message } of refusals) {
    assert.equal(status, 503, message)
    if (!message.startsWith('It is not known')) assert.ok(!recorded.has(externalId), message)
  }
}
