import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, describe, it } from 'node:test'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import { systemClock } from '#base/kit/clock.ts'
import { readVersion } from '#base/kit/version.ts'
import { openLog } from '#base/log/log.ts'
import { testDatabase } from '#test/database.ts'
import { testInstallation } from '#test/installation.ts'
import { call, collected, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { startGateway } from '#test/program.ts'
import { openReceiver, type Received } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { openTraces, traceIdOf } from './open.ts'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}

interface SentSpan {
  scope: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  links: { traceId: string; spanId: string }[]
  events: { name: string }[]
  status: { code: number }
}

const collector = await openReceiver()
const shop = await openReceiver()
const database = await testDatabase()
const gateway = await liveGateway({
  database,
  receiver: { url: `${collector.url}/v1/traces`, headers: { 'api-key': 'of the collector' } },
})
const init = 'POST /api/v1/transaction/init'
const callBackURL = `${shop.url}/hook`

/** Has a program tell on standard error of each package of OpenTelemetry that it loads. */
const tellImports = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const resolve = (name, context, next) => {
    if (name.startsWith('@opentelemetry/')) console.error(name)
    return next(name, context)
  }
  registerHooks({ resolve })`)}`

function spansIn(got: Received[]): SentSpan[] {
  return got.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(body)
    const [{ resource, scopeSpans }] = resourceSpans
    const about = new Map(
      resource.attributes.map(({ key, value }: Attribute) => [key, value.stringValue]),
    )
    assert.equal(about.get('service.name'), 'passerelle')
    assert.equal(about.get('service.version'), readVersion().version)
    assert.match(String(about.get('service.instance.id')), /^[0-9a-f-]{36}$/)
    return scopeSpans.flatMap(({ scope, spans }: { scope: { name: string }; spans: object[] }) =>
      spans.map((span) => ({ ...span, scope: scope.name })),
    ) as SentSpan[]
  })
}

/** The spans of a record's trace, once a span of this name is there. */
async function traceWith(id: string, name: string): Promise<SentSpan[]> {
  const own = () => spansIn(collector.got).filter((one) => one.traceId === traceIdOf({ id }))
  await eventually(`the ${name} of ${id}`, () => own().some((one) => one.name === name))
  return own()
}

const said = ({ attributes }: SentSpan, key: string) =>
  attributes.find((one) => one.key === `passerelle.${key}`)?.value.stringValue

describe('a payment with a receiver for traces', () => {
  it('is one trace, from the request to the webhook', async () => {
    const theirs = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const order = initBody({ callBackURL })
    const { body } = await call(gateway, init, order, { traceparent: theirs })
    const id = String(body.transaction.transactionId)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    const spans = await traceWith(id, 'webhook')
    const traceId = traceIdOf({ id })
    const one = (name: string) => {
      const found = spans.filter((span) => span.name === name)
      // On a busy machine what is sent may be sent twice.
      const isOnce = /^(payment|POST|record|ledger)/.test(name)
      assert.ok(
        isOnce ? found.length === 1 : found.length > 0,
        `${name}: ${spans.map((span) => span.name).join(', ')}`,
      )
      return found[0] as SentSpan
    }
    const names = ['payment', init, 'record', 'provider submit', 'callback', 'provider query']
    for (const name of [...names, 'ledger', 'webhook']) {
      const span = one(name)
      assert.equal(span.parentSpanId, undefined, name)
      assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), name)
    }
    assert.equal(said(one('payment'), 'status'), 'SUCCESS')
    const outcomes = spans.filter(({ name }) => name === 'record outcome')
    assert.deepEqual(
      new Set(outcomes.map((span) => `${said(span, 'source')} ${said(span, 'status')}`)),
      new Set(['answer PENDING', 'callback SUCCESS']),
    )
    const http = (name: string) =>
      Object.fromEntries(
        one(name)
          .attributes.filter(({ key }) => key.startsWith('http.'))
          .map(({ key, value }) => [key, value.intValue ?? value.stringValue]),
      )
    assert.deepEqual(http(init), {
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'http.route': '/api/v1/transaction/init',
    })
    assert.deepEqual(http('webhook'), {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
    })
    for (const name of ['provider submit', 'provider query'])
      assert.match(String(http(name)['http.response.status_code']), /^20[0-2]$/, name)
    // The caller's own trace is linked, and the shop is told ours.
    const [link] = one(init).links
    assert.equal(`00-${link?.traceId}-${link?.spanId}-01`, theirs)
    const hook = shop.got.find((got) => got.body.includes(id))
    assert.equal(hook?.headers.traceparent, `00-${traceId}-${one('webhook').spanId}-01`)
    assert.equal(collector.got[0]?.headers['api-key'], 'of the collector')
    assert.equal(collector.got[0]?.path, '/v1/traces')
    const text = JSON.stringify(collector.got.map(({ body }) => body))
    for (const secret of [order.number, order.externalTransactionId, gateway.secret, callBackURL])
      assert.ok(!text.includes(secret), secret)
  })

  it('has the spans that a library makes by OpenTelemetry during its steps', async () => {
    // As instrumentations do: they listen to what Node tells of sockets.
    const library = trace.getTracer('a library of connections')
    const onConnect = () =>
      library.startActiveSpan('connect', { attributes: { 'network.transport': 'tcp' } }, (span) => {
        library.startSpan('handshake').setStatus({ code: SpanStatusCode.ERROR }).end()
        span.addEvent('connected').end()
      })
    subscribe('net.client.socket', onConnect)
    after(() => unsubscribe('net.client.socket', onConnect))
    const other = await openReceiver()
    const id = await collected(gateway, { callBackURL: other.url })
    await traceWith(id, 'webhook')
    const spans = await traceWith(id, 'connect')
    const webhook = spans.find(({ name }) => name === 'webhook')
    const connect = spans.find(({ parentSpanId }) => parentSpanId === webhook?.spanId)
    assert.equal(connect?.name, 'connect')
    assert.equal(connect.scope, 'a library of connections')
    assert.deepEqual(connect.attributes, [
      { key: 'network.transport', value: { stringValue: 'tcp' } },
    ])
    assert.equal(connect.events?.[0]?.name, 'connected')
    const handshake = spans.find(({ parentSpanId }) => parentSpanId === connect.spanId)
    assert.deepEqual([handshake?.name, handshake?.status?.code], ['handshake', 2])
  })

  it('keeps payments of one group of the database apart', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { body } = await call(gateway, init, initBody({ callBackURL }))
        return String(body.transaction.transactionId)
      }),
    )
    for (const id of ids) {
      assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
      const spans = await traceWith(id, 'webhook')
      for (const name of ['payment', init, 'record', 'ledger'])
        assert.equal(spans.filter((span) => span.name === name).length, 1, name)
    }
  })

  it('goes on in the same trace in another process, which queries the provider', async () => {
    await script(gateway, '771110001', [{ do: 'lose_answer' }, { do: 'succeed' }])
    const order = initBody({ callBackURL, number: '771110001' })
    const { body } = await call(gateway, init, order)
    const id = String(body.transaction.transactionId)
    const other = await gateway.newProcess()
    await eventually('the other process drives it', async () => {
      await other.drive(id)
      return isEnd(await until(gateway, id, Boolean))
    })
    const spans = await traceWith(id, 'webhook')
    assert.ok(spans.some(({ name }) => name === 'provider query'))
    assert.equal(spans.filter(({ name }) => name === 'payment').length, 1)
  })

  it('of a link is in the trace of the link', async () => {
    const order = {
      externalTransactionId: 'traced-link',
      ItemName: 'Panier',
      ItemPrice: 7500,
      callBackURL,
      successUrl: 'http://127.0.0.1:9/ok',
      failureUrl: 'http://127.0.0.1:9/no',
    }
    const created = await call(gateway, 'POST /api/v1/transaction/merchant/get-link', order)
    const linkId = String(created.body.transactionId)
    const payment = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
    const paid = await gateway.links.checkout.pay(linkId, payment)
    assert.notEqual(paid.kind, 'refused')
    const spans = await traceWith(linkId, 'webhook')
    const names = new Set(spans.map(({ name }) => name))
    for (const name of ['link', 'payment', 'provider submit']) assert.ok(names.has(name), name)
  })

  it('has no span whose parent is never sent', async () => {
    // A payment of a process that makes no spans, which the merchant sends again.
    const untraced = await liveGateway({ database, lab: gateway.lab })
    const order = initBody({ callBackURL })
    const { body } = await call(untraced, init, order)
    const again = await call({ ...untraced, url: gateway.url }, init, order)
    assert.equal(again.status, 409)
    await traceWith(String(body.transaction.transactionId), init)
    await eventually('all parents', () => {
      const spans = spansIn(collector.got)
      const ids = new Set(spans.map(({ spanId }) => spanId))
      const parents = spans.flatMap(({ parentSpanId }) => parentSpanId ?? [])
      return parents.length > 0 && parents.every((id) => ids.has(id))
    })
  })
})

describe('a program', () => {
  // The client of Prometheus loads the interface, which is small.
  it('loads the packages for traces alone, and they read the environment', async () => {
    const { environment } = await testInstallation()
    const told = await openReceiver()
    const start = (more: Record<string, string>) =>
      startGateway({ ...environment, NODE_OPTIONS: `--import=${tellImports}`, ...more })
    const plain = await start({})
    await plain.stop()
    assert.doesNotMatch((await plain.ended).stderr, /@opentelemetry\/(?!api$)/m)
    const traced = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: told.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20the%20collector',
      OTEL_SERVICE_NAME: 'ours',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    })
    assert.match(traced.told(), /@opentelemetry\/sdk-trace/)
    const secret = 'sk_sandbox_demo_enterprise'
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { body } = await call({ url: traced.url, secret }, init, initBody())
        return String(body.transaction.transactionId)
      }),
    )
    await traced.stop()
    const names = told.got.map(
      ({ body }) => /"service.name","value":{"stringValue":"(\w+)"/.exec(body)?.[1],
    )
    assert.deepEqual([...new Set(names)], ['ours'])
    assert.equal(told.got[0]?.headers['api-key'], 'of the collector')
    assert.equal(told.got[0]?.path, '/v1/traces')
    const text = told.got.map(({ body }) => body).join('')
    const kept = ids.filter((id) => text.includes(traceIdOf({ id }))).length
    // The odds of all or none are one to 2 ** 39.
    assert.ok(kept > 0 && kept < ids.length, `${kept}`)
  })
})

describe('a receiver that does not take spans', () => {
  it('slows and fails no payment', async () => {
    const hanging = new Set<ServerResponse>()
    collector.answer = (_got, response) => {
      hanging.add(response)
      response.once('close', () => hanging.delete(response))
    }
    const payments = [collected(gateway, { callBackURL })]
    /** Whether a payment ends before the gateway gives up the post that hangs. */
    async function endsMeanwhile(): Promise<boolean> {
      const [post] = await eventually('a post that hangs', () => hanging.size > 0 && [...hanging])
      const payment = collected(gateway, { callBackURL })
      payments.push(payment)
      const isGivenUp = once(post as ServerResponse, 'close').then(() => false)
      return Promise.race([payment.then(() => true), isGivenUp])
    }
    try {
      // A post is given up after ten seconds, which a payment may take where other tests run, too.
      const hasEnded = (await endsMeanwhile()) || (await endsMeanwhile()) || (await endsMeanwhile())
      assert.ok(hasEnded, 'payments wait for the receiver of their spans')
    } finally {
      collector.answer = (_got, response) => {
        response.writeHead(503)
        response.end()
      }
      for (const response of hanging) response.end()
    }
    await Promise.all(payments)
    for (let count = 0; count < 3; count += 1) await collected(gateway, { callBackURL })
    await assertMoney(gateway)
  })

  it('costs only the spans that do not fit, once it takes them again', async () => {
    const taken: string[] = []
    const hanging: ServerResponse[] = []
    const receiver = await openReceiver((_got, response) => hanging.push(response))
    const traces = openTraces({ receiver, clock: systemClock, log: openLog('silent') })
    after(traces.stop)
    const add = (name: string) => {
      const id = '01890a5d-ac96-774b-bcce-b302099a8057'
      traces.step({ id }, 0, { name, kind: 'internal', attributes: {} })
    }
    for (let count = 0; count < 20_000; count += 1) add('step')
    await eventually('a first post', () => hanging.length > 0)
    receiver.answer = (_got, response) => response.end()
    for (const response of hanging) response.end()
    // Spans go in the order in which they come: those that waited before this one, or never.
    await eventually('a later span', () => {
      add('later')
      taken.splice(0, taken.length, ...spansIn(receiver.got).map(({ name }) => name))
      return taken.includes('later')
    })
    // A thousand were under way, 8192 waited.
    assert.equal(taken.filter((name) => name === 'step').length, 1024 + 8192)
  })
})
