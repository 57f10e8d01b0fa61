import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { initBody } from './live.ts'
import { eventually } from './wait.ts'

interface Paid {
  transaction: { transactionId: string }
}

/**
 * Sends payments from 16 callers until `end`. A connection is idle for some milliseconds at most: a
 * request sent while the server closes an idle connection is lost whatever the server does.
 */
export function openLoad({ url, secret }: { url: string; secret: string }) {
  const pool = new Pool(url, { connections: 16 })
  const acknowledged = new Map<string, number>()
  const refused: string[] = []
  const lost: string[] = []
  let isOver = false
  let isServerStopping = false
  let closed = 0
  async function pay(body: object) {
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
    const path = '/api/v1/transaction/init'
    const order = { method: 'POST', path, headers, body: JSON.stringify(body) } as const
    const answer = await pool.request(order)
    const { connection } = answer.headers
    return { status: answer.statusCode, connection, json: (await answer.body.json()) as Paid }
  }
  const callers = Array.from({ length: 16 }, async (_, index) => {
    while (!isOver) {
      await sleep(index)
      const body = initBody({ amount: 200 + index })
      const answer = await pay(body).catch((problem: Error & { code?: string }) => problem)
      if (answer instanceof Error) {
        lost.push(String(answer.code))
        await sleep(20)
        continue
      }
      const { transaction, ...rest } = answer.json
      if (answer.status === 201) acknowledged.set(transaction.transactionId, body.amount)
      else refused.push(`${answer.status} ${JSON.stringify(rest)}`)
      if (answer.connection !== 'close') continue
      closed += 1
      if (isServerStopping) return
    }
  })
  return {
    reaches: (more: number) => {
      const goal = acknowledged.size + more
      return eventually(`${goal} payments`, () => acknowledged.size >= goal)
    },
    /** Ends each caller with the answer that closes its connection. */
    untilClosed: async () => {
      isServerStopping = true
      await eventually('an answer that closes, for each', () => closed >= callers.length).finally(
        () => {
          isOver = true
        },
      )
    },
    end: async () => {
      isOver = true
      await Promise.all(callers)
      await pool.close()
      return { acknowledged, refused, lost }
    },
  }
}
