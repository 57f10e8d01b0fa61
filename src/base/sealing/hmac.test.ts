import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openHmac } from './hmac.ts'

describe('openHmac signs as RFC 4231 says', () => {
  const longKey = Buffer.alloc(131, 0xaa)
  // name, key, text, signature
  const vectors: [string, Buffer, string, string][] = [
    [
      'a key of 20 bytes',
      Buffer.alloc(20, 0x0b),
      'Hi There',
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      'a key shorter than the hash',
      Buffer.from('Jefe'),
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      'a key longer than a block',
      longKey,
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      'a key and a text longer than a block',
      longKey,
      'This is a test using a larger than block-size key and a larger than block-size data. ' +
        'The key needs to be hashed before being used by the HMAC algorithm.',
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ]
  for (const [name, key, text, signature] of vectors)
    it(name, () => {
      const hmac = openHmac(key)
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        assert.equal(hmac(text, encoding), Buffer.from(signature, 'hex').toString(encoding))
    })
})

it('one signature does not change the next, and texts are signed as UTF-8', () => {
  const hmac = openHmac(Buffer.from('key'))
  const first = hmac('é€😀'.repeat(5000), 'hex')
  hmac('short', 'hex')
  assert.equal(hmac('é€😀'.repeat(5000), 'hex'), first)
  // The same as `printf "é€😀" | openssl dgst -sha256 -hmac key`.
  assert.equal(
    hmac('é€😀', 'hex'),
    'e86ba39ebc35ebf22fd913a9c050299d26c59d469a7e4aa8e61690eed22dda97',
  )
})

it('an empty key is a key', () => {
  assert.equal(
    openHmac(Buffer.alloc(0))('', 'hex'),
    'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad',
  )
})
