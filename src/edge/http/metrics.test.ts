import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addEcho, echo, echoBody, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const app = await gateway.start({ routes: addEcho })
const name = 'passerelle_http_request_duration_seconds'

describe('/metrics', async () => {
  for (let index = 0; index < 30; index += 1) {
    await app.send(`GET ${echo}/id-${index}?q=${index}`)
    await app.send(`GET /test/echo/alias-${index}`)
    await app.send(`GET /nowhere/${index}`)
    await app.send(`PURGE /api/v1/${index}`)
    await app.send(`GET ${echo}/%zz${index}`)
  }
  await app.send(`POST ${echo}`, { json: echoBody })
  await app.send(`POST ${echo}`, { json: { ...echoBody, amount: 1 } })
  await app.send('GET /api/v1/api-services/balance', { key: null })
  await app.send('GET /livez')
  const { text, headers } = await app.send('GET /metrics')

  it('is in the text format of Prometheus', () => {
    assert.match(String(headers['content-type']), /^text\/plain; version=/)
    assert.match(text, new RegExp(`^# TYPE ${name} histogram$`, 'm'))
    assert.match(text, /^process_cpu_seconds_total /m)
    assert.match(text, /^nodejs_eventloop_lag_seconds /m)
  })

  it('has names by which Prometheus knows what each is', () => {
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
    assert.ok(types.length > 20)
    for (const [, metric = '', type] of types) {
      assert.equal(metric.endsWith('_total'), type === 'counter', `${metric} is a ${type}`)
      assert.doesNotMatch(metric, /_(count|sum|bucket|gauge|histogram|summary)$/)
    }
  })

  const counted: [labels: string, count: number][] = [
    [`method="GET",route="${echo}/:id",status="200"`, 60],
    ['method="GET",route="none",status="404"', 30],
    ['method="PURGE",route="none",status="404"', 30],
    [`method="POST",route="${echo}",status="201"`, 1],
    [`method="POST",route="${echo}",status="400"`, 1],
    ['method="GET",route="/api/v1/api-services/balance",status="401"', 1],
    ['method="GET",route="/livez",status="200"', 1],
  ]
  for (const [labels, count] of counted)
    it(`counts ${count} of ${labels}`, () => {
      assert.ok(text.includes(`${name}_count{${labels}} ${count}\n`))
      assert.ok(text.includes(`${name}_bucket{le="+Inf",${labels}} ${count}\n`))
    })

  it('labels requests with the pattern of their route, never with their path', () => {
    const found = text.matchAll(/route="([^"]*)"/g)
    const routes = new Set([...found].map(([, route = '']) => route))
    assert.deepEqual([...routes].sort(), [
      '/api/v1/api-services/balance',
      echo,
      `${echo}/:id`,
      '/livez',
      'none',
    ])
    assert.doesNotMatch(text, /id-\d|alias-|nowhere|\?q=|sk_/)
  })

  it('has four labels on HTTP metrics, each with fewer than 20 values', () => {
    const values = new Map<string, Set<string>>()
    for (const [, labels = ''] of text.matchAll(/^passerelle_http_\w+\{(.*)\} /gm))
      for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
        values.set(label, (values.get(label) ?? new Set()).add(value))
    assert.deepEqual([...values.keys()].sort(), ['le', 'method', 'route', 'status'])
    for (const [label, set] of values) assert.ok(set.size < 20, label)
  })

  it('shows the database connections by state', () => {
    for (const state of ['open', 'idle', 'waiting'])
      assert.match(
        text,
        new RegExp(`^passerelle_database_connections\\{state="${state}"\\} \\d`, 'm'),
      )
  })

  it('counts the lines of the log that were dropped', () => {
    assert.match(text, /^passerelle_log_lines_dropped_total 0$/m)
  })

  it('contains no API key', () => {
    assert.equal(text.includes(gateway.secret), false)
  })
})
