import { setTimeout as sleep } from 'node:timers/promises'

/** What callers of a merchant that moves were answered. */
export interface Payments {
  statuses: Record<string, number>
  /** The longest time in which no order of any caller was taken. */
  longestMs: number
}

const pauseMs = 20
const afterMoveMs = 3000

/**
 * Callers that pay one order after the other, at the first cell until it says that the merchant is
 * at the second. `stop` lets them pay there for some seconds more.
 */
export function startPayers(urls: [string, string], secret: string, count: number) {
  const statuses: Record<string, number> = {}
  let [url] = urls
  let [longestMs, lastMs, isStopped] = [0, performance.now(), false]

  async function pay(externalTransactionId: string): Promise<void> {
    const order = {
      externalTransactionId,
      serviceCode: 'WALLETA_SN_CASHOUT',
      amount: 500,
      number: '771234567',
      callBackURL: 'http://127.0.0.1:9/hook',
      successUrl: 'http://127.0.0.1:9/ok',
      failureUrl: 'http://127.0.0.1:9/no',
    }
    const { status } = await fetch(`${url}/api/v1/transaction/init`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 421) url = urls[1]
    if (status !== 201) return
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }

  const callers = Array.from({ length: count }, async (_, caller) => {
    for (let number = 0; !isStopped; number += 1) {
      await pay(`meanwhile-${caller}-${number}`)
      await sleep(pauseMs)
    }
  })
  return {
    stop: async (): Promise<Payments> => {
      if (count > 0) await sleep(afterMoveMs)
      isStopped = true
      await Promise.all(callers)
      return { statuses, longestMs: Math.round(longestMs) }
    },
  }
}
