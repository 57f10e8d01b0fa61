import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { pay, topUpBody } from '#test/bills.ts'
import { newLink } from '#test/links.ts'
import { type Answer, call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const lines: Record<string, unknown>[] = []
const log = pino(
  { level: 'info' },
  { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
)
const gateway = await liveGateway({ pace: 50, log })
const { db, clientId, secret } = gateway
const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`

/** The line of the request that got this answer. */
function lineOf({ headers }: Answer) {
  const requestId = headers.get('x-request-id')
  return eventually('the line of the request', () =>
    lines.find((line) => line.msg === 'request' && line.requestId === requestId),
  )
}

describe('the line of a request', () => {
  it('names client, key and transaction, and the code of an error', async () => {
    const init = 'POST /api/v1/transaction/init'
    const body = initBody()
    const created = await call(gateway, init, body)
    const { transactionId } = created.body.transaction
    const lookup = `GET /api/v1/transaction/${body.externalTransactionId}`
    // what was called, the answer, status, code, transaction
    const scenarios: [string, Answer, number, string | undefined, string | undefined][] = [
      ['created', created, 201, undefined, transactionId],
      ['repeated', await call(gateway, init, body), 409, 'DUPLICATE_TRANSACTION', transactionId],
      ['looked up', await call(gateway, lookup), 200, undefined, transactionId],
      ['unknown', await call(gateway, `${lookup}x`), 404, 'NOT_FOUND', undefined],
      ['invalid', await call(gateway, init, {}), 400, 'VALIDATION_FAILED', undefined],
    ]
    for (const [name, answer, status, code, id] of scenarios) {
      const line = await lineOf(answer)
      const { clientId: client, keyId } = line
      assert.deepEqual([line.status, line.code, line.transactionId], [status, code, id], name)
      assert.deepEqual([client, keyId], [clientId, key?.id], name)
    }
    const link = await newLink(gateway)
    const isOfLink = ({ route }: (typeof lines)[number]) => String(route).endsWith('/get-link')
    const line = await eventually('the line of the link', () => lines.find(isOfLink))
    assert.equal(line.transactionId, link)
    const bill = await pay(gateway, topUpBody())
    assert.equal((await lineOf(bill)).transactionId, bill.body.transaction.transactionId)
    await assertMoney(gateway)
  })

  it('of a wrong key names neither, and no line has a key', async () => {
    const wrong = await call({ url: gateway.url, secret: 'sk_sandbox_wrong' }, 'GET /api/v1/events')
    const line = await lineOf(wrong)
    const { status, code, clientId: client, keyId } = line
    assert.deepEqual([status, code, client, keyId], [401, 'INVALID_API_KEY', undefined, undefined])
    const text = JSON.stringify(lines)
    assert.ok(!text.includes(secret) && !text.includes('sk_sandbox'))
  })
})
