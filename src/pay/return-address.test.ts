import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PayerView } from '../links/checkout.ts'
import { returnAddress, webAddress } from './return-address.ts'

const told = 'transactionId=l-1&externalTransactionId=CMD+1%26b%3D%C3%A9&status='

function viewWith(url: string): PayerView {
  const urls = { successUrl: url, failureUrl: url }
  return { id: 'l-1', reference: 'CMD 1&b=é', ...urls } as PayerView
}

describe('the way back to the shop', () => {
  const rows: [string, string][] = [
    ['https://shop.example', `https://shop.example/?${told}`],
    ['https://shop.example/a/b', `https://shop.example/a/b?${told}`],
    ['https://shop.example/?', `https://shop.example/?${told}`],
    ['https://shop.example/?cart=42', `https://shop.example/?cart=42&${told}`],
    ['https://shop.example/?a=b%20c&d', `https://shop.example/?a=b%20c&d&${told}`],
    ['https://shop.example/?a=1#top', `https://shop.example/?a=1&${told}#top`],
    ['http://127.0.0.1:9000/thanks', `http://127.0.0.1:9000/thanks?${told}`],
  ]
  for (const [url, expected] of rows)
    for (const status of ['SUCCESS', 'FAILED', 'EXPIRED'] as const)
      it(`${url} after ${status}`, () =>
        assert.equal(
          returnAddress(viewWith(url), status),
          expected.replace(/status=/, `status=${status}`),
        ))

  it('leads to the address for its outcome', () => {
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

describe('an address that no link leads to', () => {
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
    it(JSON.stringify(url), () => {
      assert.equal(webAddress(url), null)
      assert.equal(returnAddress(viewWith(url), 'SUCCESS'), null)
    })
})
