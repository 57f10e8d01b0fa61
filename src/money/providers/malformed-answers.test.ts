import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { type Service, services } from '#merchants/catalog/services.ts'
import { newAttempt } from '#test/attempt.ts'
import { sandboxBindings } from './bindings.ts'
import type { Operation } from './contract.ts'
import { openProviders } from './open.ts'

/*
 * Providers whose answers do not follow their protocol: the outcome of an order and of a query is
 * `unknown`, and nothing is thrown.
 */
let respond: (response: ServerResponse) => void = () => {}
const server = createServer((request, response) => {
  if (!/token/.test(request.url ?? '')) return respond(response)
  response.end(JSON.stringify({ access_token: 'token', expires_in: 3600 }))
})
await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
const { port } = server.address() as AddressInfo
const log = pino({ level: 'silent' })
after(() => void server.close())

const html = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>'
const write =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

const malformedAnswers: [string, (response: ServerResponse) => void][] = [
  ['an empty body', write(200, '')],
  ['an empty body, created', write(201, '')],
  ['HTML', write(200, html, { 'content-type': 'text/html' })],
  ['a bad gateway', write(502, html, { 'content-type': 'text/html' })],
  ['half a JSON text', write(200, '{"status":"pending","id')],
  ['null', write(200, 'null')],
  ['a list', write(200, '[]')],
  ['a number', write(200, '500')],
  ['an unknown object', write(200, '{"ok":"yes"}')],
  ['wrong types', write(200, '{"status":1,"link":2,"id":3,"token":4,"result":5,"content":6}')],
  [
    'success without an amount',
    write(200, '{"status":"SUCCESSFUL","transactionStatus":"completed"}'),
  ],
  ['half a franc', write(200, JSON.stringify(paid('499.5')))],
  ['a reference with NUL', write(200, JSON.stringify({ ...paid('500'), ...unstorable('\0') }))],
  ['a lone surrogate', write(200, JSON.stringify({ ...paid('500'), ...unstorable('\ud83c') }))],
  [
    'another currency',
    write(200, JSON.stringify({ ...paid('500'), currency: 'EUR', amountCurrencyCode: 'EUR' })),
  ],
  ['a huge body', write(200, `{"a":"${'x'.repeat(100_000)}"}`)],
  ['a redirect', write(302, '', { location: '/transactions/T1' })],
  ['no content', write(204, '')],
  ['unauthorised', write(401, '{"code":"UNAUTHORIZED","errorCode":"clientAuthorisationError"}')],
  ['an unclear 404', write(404, html, { 'content-type': 'text/html' })],
  ['too many requests', write(429, '{"code":"too-many"}')],
  ['an error without a code', write(500, '{}')],
  [
    'an internal error',
    write(500, '{"errorCode":"genericError","code":"INTERNAL_PROCESSING_ERROR"}'),
  ],
  ['a service that is unavailable', write(503, '{"code":"SERVICE_UNAVAILABLE"}')],
  ['a reset', (response) => void response.socket?.resetAndDestroy()],
  ['a closed socket', (response) => void response.socket?.end()],
]

/** A success with the fields of several protocols. */
function paid(amount: string) {
  return {
    transactionReference: 'T1',
    transactionStatus: 'completed',
    status: 'SUCCESSFUL',
    financialTransactionId: '9',
    checkout_status: 'complete',
    payment_status: 'succeeded',
    billPaymentStatus: 'completed',
    serviceProviderPaymentReference: 'T1',
    amountPaid: amount,
    amountCurrencyCode: 'XOF',
    billDetails: { pinDetails: { token: '1234-5678-9012-3456-7890' } },
    id: 'cos-1',
    launch_url: 'https://x.y',
    amount,
    currency: 'XOF',
  }
}

/** References with a text that PostgreSQL cannot store. */
function unstorable(text: string) {
  const id = `T${text}`
  return { transactionReference: id, financialTransactionId: id, id, transactionId: id }
}

const cases: [string, Operation, string | null][] = [
  ['WALLETA_SN_CASHOUT', 'collect', 's'],
  ['WALLETA_SN_CASHIN', 'disburse', null],
  ['WALLETA_SN_CASHOUT', 'reverse', null],
  ['WALLETF_CI_CASHOUT', 'collect', null],
  ['WALLETF_CI_CASHIN', 'disburse', 'r'],
  ['WALLETD_SN_CASHOUT', 'collect', 'invoice:TX1'],
  ['WALLETD_SN_CASHIN', 'disburse', 'invoice'],
  ['WALLETB_SN_CASHOUT', 'collect', 'cos-1'],
  ['WALLETB_SN_CASHOUT', 'collect', null],
  ['WALLETB_SN_CASHIN', 'disburse', null],
  ['OPERATOR1_SN_AIRTIME', 'top_up', '12'],
  ['OPERATOR1_SN_AIRTIME', 'top_up', null],
  ['WATER_SN_BILL', 'pay_bill', null],
  ['WATER_SN_BILL', 'pay_bill', 's'],
  ['PREPAID_SN_BILL', 'pay_bill', null],
  ['PREPAID_SN_BILL', 'pay_bill', '12'],
]

for (const [name, act] of malformedAnswers)
  describe(`a provider that answers with ${name}`, () => {
    const providers = openProviders({ bindings: sandboxBindings(`http://127.0.0.1:${port}`), log })
    after(() => providers.close())
    for (const [code, operation, reference] of cases)
      it(`${code} ${operation} ${reference}`, async () => {
        respond = act
        const service = services.find((one) => one.code === code) as Service
        const { connector } = providers.find(service) ?? assert.fail()
        const attempt = newAttempt(service, operation, {
          reference,
          originalReference: 'T1',
          callbackUrl: 'https://gateway.example/callbacks/1',
        })
        const prepared = await connector.prepare?.({ ...attempt, reference: null })
        assert.equal(prepared?.kind ?? 'not_sent', 'not_sent')
        const sent = await connector.submit(attempt)
        assert.equal(sent.kind, 'unknown', JSON.stringify(sent))
        const asked = await connector.query(attempt)
        assert.equal(asked.kind, 'unknown', JSON.stringify(asked))
        assert.ok((asked.evidence?.excerpt ?? '').length <= 500)
        const confirmed = await connector.confirm?.(attempt, '123456')
        if (connector.confirm && reference?.includes(':')) assert.equal(confirmed?.kind, 'unknown')
        // A list is a valid answer to a bill inquiry.
        if (operation === 'pay_bill' && name !== 'a list')
          assert.equal((await connector.inquire?.('42'))?.kind, 'unavailable')
      })
  })
