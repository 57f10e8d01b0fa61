import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'

export interface LoadReport {
  startedAt: string
  seconds: number
  accepted: number
  refused: number
  p50Ms: number
  p99Ms: number
}

// load.ts GATEWAY SINK CLIENTS SECONDS: each client sends its next payment when the last is answered.
const [gatewayUrl = '', sinkUrl = '', clients = '64', seconds = '10'] = process.argv.slice(2)
const pool = new Pool(gatewayUrl, { connections: Number(clients), pipelining: 1 })
const run = randomUUID().slice(0, 8)
const durationsMs: number[] = []
let sent = 0
let refused = 0

const startedAt = new Date().toISOString()
const startedMs = performance.now()
const endMs = startedMs + Number(seconds) * 1000
await Promise.all(Array.from({ length: Number(clients) }, keepPaying))
const tookSeconds = (performance.now() - startedMs) / 1000
await pool.close()

durationsMs.sort((a, b) => a - b)
const report: LoadReport = {
  startedAt,
  seconds: tookSeconds,
  accepted: durationsMs.length,
  refused,
  p50Ms: percentile(0.5),
  p99Ms: percentile(0.99),
}
console.log(JSON.stringify(report))

async function keepPaying(): Promise<void> {
  while (performance.now() < endMs) {
    sent += 1
    const sentMs = performance.now()
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/v1/transaction/init',
      headers: {
        authorization: 'Bearer sk_sandbox_demo_enterprise',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        externalTransactionId: `${run}-${sent}`,
        serviceCode: 'WALLETA_SN_CASHOUT',
        amount: 200 + (sent % 1000),
        number: '771234567',
        callBackURL: sinkUrl,
        successUrl: 'http://127.0.0.1/ok',
        failureUrl: 'http://127.0.0.1/no',
      }),
    })
    await body.dump()
    if (statusCode === 201) durationsMs.push(performance.now() - sentMs)
    else refused += 1
  }
}

function percentile(share: number): number {
  const value = durationsMs[Math.floor(durationsMs.length * share)] ?? 0
  return Math.round(value * 10) / 10
}
