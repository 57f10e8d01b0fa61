import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { Agent } from 'node:http'
import { describe, it } from 'node:test'
import { addEcho, assertGeneralError, count, testGateway } from '#test/app.ts'
import { errorTable } from './error-guide.ts'

interface Described {
  openapi: string
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  security: object[]
  components: {
    securitySchemes: Record<string, object>
    schemas: Record<string, { required?: string[] }>
  }
  paths: Record<string, Record<string, Operation>>
}
interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { content: Record<string, { schema: { $ref?: string } }> }>
}

const gateway = await testGateway()
const environment = { PUBLIC_URL: 'https://pay.example.com' }
const app = await gateway.start({ routes: addEcho, environment })
const answer = await app.send('GET /openapi.json', { key: null })
const described = answer.body as unknown as Described
const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

describe('/openapi.json', () => {
  it('is OpenAPI 3.1.0 of API version 1.0.0, without a key and from any origin', () => {
    assert.equal(answer.status, 200)
    assert.equal(described.openapi, '3.1.0')
    assert.equal(described.info.version, '1.0.0')
    assert.deepEqual(described.servers, [{ url: 'https://pay.example.com' }])
    assert.equal(answer.headers['access-control-allow-origin'], '*')
  })

  it('explains every error code in English and in French', () => {
    for (const language of ['en', 'fr'] as const)
      assert.ok(described.info.description.includes(errorTable(language)))
  })

  it('requires a bearer key for every operation', () => {
    const { apiKey } = described.components.securitySchemes
    assert.deepEqual(apiKey, { type: 'http', scheme: 'bearer', description: 'Your API key' })
    assert.deepEqual(described.security, [{ apiKey: [] }])
    assert.deepEqual(
      operations.filter(({ operation }) => operation.security !== undefined),
      [],
    )
  })

  it('lists exactly the endpoints under src/doors/api/v1', () => {
    const files = globSync('src/doors/api/v1/**/*.ts').filter((path) => !path.endsWith('.test.ts'))
    const paths = files.map((path) =>
      path.slice('src/doors'.length, -3).replaceAll(/\/_(\w+)/g, '/{$1}'),
    )
    assert.ok(paths.length >= 2)
    assert.deepEqual(Object.keys(described.paths).sort(), paths.sort())
    assert.doesNotMatch(answer.text, /test\/echo|livez|readyz|metrics|callbacks|scalar/)
  })

  for (const { path, method, operation } of operations)
    it(`describes ${method.toUpperCase()} ${path} and all of its answers`, () => {
      const { summary = '', description = '', tags = [], responses } = operation
      assert.ok(summary.length > 5 && description.length > 5 && tags.length === 1)
      const statuses = Object.keys(responses)
      const success = statuses.filter((status) => status.startsWith('2'))
      assert.equal(success.length, 1)
      const always = ['400', '401', '403', '429', '500', '503']
      const onPost = ['409', '413', '415', '422']
      for (const status of [...always, ...(method === 'post' ? onPost : [])])
        assert.ok(statuses.includes(status), `${status} is missing`)
      for (const [status, { content }] of Object.entries(responses)) {
        if (content['text/event-stream'] !== undefined) continue
        const { $ref = '' } = content['application/json']?.schema ?? {}
        const required = described.components.schemas[$ref.split('/').at(-1) ?? '']?.required ?? []
        assert.ok(required.length > 0, `${status} has no required field`)
        if (status >= '400' && required.includes('code'))
          for (const field of ['message', 'success', 'requestId'])
            assert.ok(required.includes(field))
      }
      if (method === 'get') assert.equal(operation.requestBody, undefined)
    })

  it('describes each parameter of a path', () => {
    for (const { path, operation } of operations) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const { parameters = [] } = operation as { parameters?: { name: string; in: string }[] }
      const known = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
      assert.deepEqual(known, names, path)
    }
  })

  it('contains the target of every $ref', () => {
    for (const [, reference = ''] of answer.text.matchAll(/"\$ref":"([^"]*)"/g)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], described)
      assert.ok(found !== undefined, reference)
    }
  })
})

describe('/docs/try', async () => {
  const page = await app.send('GET /docs/try/', { key: null })
  const policy = String(page.headers['content-security-policy'])

  it('is HTML at /docs/try/, where /docs/try redirects to', async () => {
    assert.equal(page.status, 200)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    const { status, headers } = await app.send('GET /docs/try', { key: null })
    assert.deepEqual([status, headers.location], [301, '/docs/try/'])
  })

  it('loads its scripts and /openapi.json from this server, and has none inline', async () => {
    const scripts = [
      ...page.text.matchAll(/<(?:script|link|img|iframe)[^>]+(?:src|href)="([^"]*)"/g),
    ]
    assert.deepEqual(
      scripts.map(([, source]) => source),
      ['js/styles.js', 'js/scalar.js', 'js/begin.js'],
    )
    assert.doesNotMatch(page.text, /<script(?![^>]*src)/)
    const begin = await app.send('GET /docs/try/js/begin.js', { key: null })
    assert.match(begin.text, /"url": "\/openapi\.json"/)
    const script = await app.send('GET /docs/try/js/scalar.js', { key: null })
    assert.equal(script.status, 200)
    assert.match(String(script.headers['content-type']), /javascript/)
    assert.ok(script.text.length > 100_000)
  })

  it('contains no address of another host', () => {
    assert.doesNotMatch(page.text, /https?:\/\//)
    assert.doesNotMatch(page.text, /"(?:proxyUrl|cdn)"/)
  })

  it('may connect to this server only', () => {
    const directives = new Map(
      policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]),
    )
    const [, nonce = ''] = /property="csp-nonce" content="([\w-]{22})"/.exec(page.text) ?? []
    const own = new Set(["'self'", "'none'", `'nonce-${nonce}'`, 'data:', 'blob:'])
    const isHash = (source: string) => /^'(sha256-.+|unsafe-hashes)'$/.test(source)
    for (const [name, sources = []] of directives)
      assert.deepEqual(
        sources.filter((source) => !own.has(source) && !isHash(source)),
        [],
        name,
      )
    assert.deepEqual(directives.get('default-src'), ["'none'"])
    assert.deepEqual(directives.get('connect-src'), ["'self'"])
    assert.deepEqual(directives.get('frame-ancestors'), ["'none'"])
    assert.doesNotMatch(policy, /unsafe-(inline|eval)|\*/)
  })
})

describe('the files of the reference', () => {
  const files = ['/docs/try/js/scalar.js', '/docs/try/js/begin.js', '/openapi.json']
  for (const path of files)
    it(`${path} is compressed if accepted, and 304 for those who have it`, async () => {
      const ask = (headers: Record<string, string>) =>
        fetch(`${app.url}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } })
      const plain = await ask({})
      const text = await plain.text()
      const etag = plain.headers.get('etag') ?? ''
      assert.match(etag, /^W\/"[\w-]{22}"$/)
      assert.equal(plain.headers.get('content-encoding'), null)
      assert.equal(plain.headers.get('vary'), 'Accept-Encoding')
      for (const encoding of ['gzip', 'br']) {
        const packed = await ask({ 'accept-encoding': `deflate, ${encoding};q=0.5` })
        assert.equal(packed.headers.get('content-encoding'), encoding)
        assert.ok(Number(packed.headers.get('content-length')) < Buffer.byteLength(text))
        assert.equal(await packed.text(), text)
      }
      for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const again = await ask({ 'if-none-match': known })
        assert.deepEqual([again.status, await again.text()], [304, ''])
        assert.equal(again.headers.get('etag'), etag)
      }
      assert.equal((await ask({ 'if-none-match': '"other"' })).status, 200)
    })

  it('are limited for each network, and nothing else is', async () => {
    const proxied = { TRUSTED_PROXIES: '127.0.0.1' }
    const limited = await gateway.start({ environment: proxied })
    const agent = new Agent({ keepAlive: true, maxSockets: 10 })
    const from = (address: string, target = 'GET /openapi.json') => {
      const headers = { 'x-forwarded-for': address, 'if-none-match': '*' }
      return limited.send(target, { headers, agent })
    }
    const allowed = await Promise.all(Array.from({ length: 300 }, () => from('2001:db8::1')))
    assert.deepEqual(count(allowed), { 304: 300 })
    const refused = await from('2001:db8::2')
    assert.equal(refused.status, 429)
    assertGeneralError(refused, 'RATE_LIMITED')
    assert.match(String(refused.headers['retry-after']), /^[1-6]?\d$/)
    assert.equal((await from('2001:db8:0:1::1')).status, 304)
    assert.equal((await from('2001:db8::1', 'GET /api/v1/api-services/balance')).status, 200)
    assert.equal((await from('2001:db8::1', 'GET /livez')).status, 200)
    agent.destroy()
  })
})
