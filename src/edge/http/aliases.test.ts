import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstSegmentOf, fullPath } from './aliases.ts'

const known = new Set(['transaction', 'api-services', 'merchant'])

describe('fullPath completes a short path', () => {
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
    it(`${url} becomes ${full}`, () => assert.equal(fullPath(url, known), full))
})

describe('fullPath leaves other paths unchanged', () => {
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
  for (const url of urls)
    it(`${JSON.stringify(url)} is unchanged`, () => assert.equal(fullPath(url, known), url))
})

describe('firstSegmentOf', () => {
  const scenarios: [url: string, segment: string | undefined][] = [
    ['/api/v1/transaction/:transactionId', 'transaction'],
    ['/api/v1/sub-merchant', 'sub-merchant'],
    ['/livez', undefined],
    ['/docs/js/scalar.js', undefined],
    ['/api/v2/transaction', undefined],
  ]
  for (const [url, segment] of scenarios)
    it(`of ${url} is ${segment ?? 'undefined'}`, () => assert.equal(firstSegmentOf(url), segment))
})
