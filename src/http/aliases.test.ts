import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstSegmentOf, fullPath } from './aliases.ts'

const known = new Set(['transaction', 'api-services', 'merchant'])

describe('a short address', () => {
  const scenarios: [url: string, full: string][] = [
    ['/v1/transaction/init', '/api/v1/transaction/init'],
    ['/transaction/init', '/api/v1/transaction/init'],
    ['/transaction', '/api/v1/transaction'],
    ['/transaction/', '/api/v1/transaction/'],
    ['/v1/merchant/9', '/api/v1/merchant/9'],
    ['/merchant?page=2', '/api/v1/merchant?page=2'],
    ['/v1/merchant?to=/transaction', '/api/v1/merchant?to=/transaction'],
    ['/transaction/v1', '/api/v1/transaction/v1'],
  ]
  for (const [url, full] of scenarios)
    it(`${url} is ${full}`, () => assert.equal(fullPath(url, known), full))
})

describe('an address that stays as it is', () => {
  const urls = [
    '/api/v1/transaction/init',
    '/livez',
    '/v1/livez',
    '/v1/readyz',
    '/v1/openapi.json',
    '/v1',
    '/v1/',
    '/',
    '',
    '*',
    '/v2/transaction/init',
    '/v1/v1/transaction',
    '/v1/api/v1/transaction',
    '//transaction/init',
    '/v1//transaction/init',
    '/Transaction/init',
    '/transactions',
    '/?a=/transaction',
    '/v1?/transaction',
    'transaction/init',
    '/constructor',
    '/__proto__/init',
  ]
  for (const url of urls) it(JSON.stringify(url), () => assert.equal(fullPath(url, known), url))
})

describe('the first word of a route', () => {
  const scenarios: [url: string, word: string | undefined][] = [
    ['/api/v1/transaction/:transactionId', 'transaction'],
    ['/api/v1/sub-merchant', 'sub-merchant'],
    ['/livez', undefined],
    ['/docs/js/scalar.js', undefined],
    ['/api/v2/transaction', undefined],
  ]
  for (const [url, word] of scenarios)
    it(`${url}: ${word ?? 'none'}`, () => assert.equal(firstSegmentOf(url), word))
})
