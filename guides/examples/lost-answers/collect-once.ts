const { PASSERELLE_URL, PASSERELLE_KEY } = process.env

interface Answer {
  code?: string
  message?: unknown
  transaction?: { transactionId: string }
}

async function collectOnce(order: Record<string, unknown>) {
  for (let tries = 0; tries < 5; tries += 1) {
    const answer = await fetch(`${PASSERELLE_URL}/api/v1/transaction/init`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${PASSERELLE_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(15_000),
    }).catch(() => undefined)
    const status = answer?.status ?? 0
    const body = (await answer?.json().catch(() => undefined)) as Answer | undefined
    const isOurs = status === 201 || body?.code === 'DUPLICATE_TRANSACTION'
    if (isOurs && body?.transaction !== undefined) return body.transaction
    const isRefused = status >= 400 && status < 500 && status !== 429
    if (isRefused) throw new Error(`refused: ${JSON.stringify(body?.message)}`)
    await new Promise((done) => setTimeout(done, 500 * 2 ** tries))
  }
  throw new Error('still unknown: look it up later by its externalTransactionId')
}

const order = {
  externalTransactionId: 'lost-2',
  serviceCode: 'WALLETA_SN_CASHOUT',
  amount: 5000,
  number: '771234567',
  callBackURL: 'http://127.0.0.1:9000/webhooks',
  successUrl: 'http://127.0.0.1:9000/thanks',
  failureUrl: 'http://127.0.0.1:9000/sorry',
}
const first = await collectOnce(order)
const second = await collectOnce(order)
console.log(first.transactionId === second.transactionId ? 'one payment' : 'two payments')
