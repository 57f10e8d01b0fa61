import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PayerView } from '#money/links/checkout.ts'
import { returnAddress, webAddress } from './return-address.ts'

const parameters = 'transactionId=l-1&externalTransactionId=CMD+1%26b%3D%C3%A9&status='

function viewWith(url: string): PayerView {
  const urls = { successUrl: url, failureUrl: url }
  return { id: 'l-1', reference: 'CMD 1&b=é', ...urls } as PayerView
}

describe('returnAddress', () => {
  const rows: [string, string][] = [
    ['https://shop.example', `https://shop.example/?${parameters}`],
    ['https://shop.example/a/b', `https://shop.example/a/b?${parameters}`],
    ['https://shop.example/?', `https://shop.example/?${parameters}`],
    ['https://shop.example/?cart=42', `https://shop.example/?cart=42&${parameters}`],
    ['https://shop.example/?a=b%20c&d', `https://shop.example/?a=b%20c&d&${parameters}`],
    ['https://shop.example/?a=1#top', `https://shop.example/?a=1&${parameters}#top`],
    ['http://127.0.0.1:9000/thanks', `http://127.0.0.1:9000/thanks?${parameters}`],
  ]
  for (const [url, expected] of rows)
    for (const status of ['SUCCESS', 'FAILED', 'EXPIRED'] as const)
      it(`of ${url} after ${status} appends ids and status`, () =>
        assert.equal(
          returnAddress(viewWith(url), status),
          expected.replace(/status=/, `status=${status}`),
        ))

  it('is made from successUrl after SUCCESS, else from failureUrl', () => {
    const view = {
      ...viewWith(''),
      successUrl: 'https://yes.example',
      failureUrl: 'https://no.example',
    }
    assert.match(returnAddress(view, 'SUCCESS') ?? '', /^https:\/\/yes\.example\//)
    assert.match(returnAddress(view, 'FAILED') ?? '', /^https:\/\/no\.example\//)
    assert.match(returnAddress(view, 'EXPIRED') ?? '', /^https:\/\/no\.example\//)
  })
})

describe('webAddress and returnAddress', () => {
  const rows = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    '\u0000javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://shop.example/',
    'blob:https://shop.example/x',
    'intent://pay#Intent;end',
    'about:blank',
    '//shop.example',
    '/thanks',
    'thanks',
    '',
    'https://',
    'http://[',
  ]
  for (const url of rows)
    it(`are null for ${JSON.stringify(url)}`, () => {
      assert.equal(webAddress(url), null)
      assert.equal(returnAddress(viewWith(url), 'SUCCESS'), null)
    })
})
