import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { openHmac } from './hmac.ts'

const longText = fc.integer({ min: 300, max: 5000 }).map((length) => 'é€😀'.repeat(length))

it('signs as Node does, whatever the key and the text, one after the other', () => {
  const key = fc.uint8Array({ maxLength: 200 })
  const texts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), longText), { maxLength: 5 })
  const encodings = fc.constantFrom('hex' as const, 'base64' as const, 'base64url' as const)
  fc.assert(
    fc.property(key, texts, encodings, (bytes, signed, encoding) => {
      const hmac = openHmac(Buffer.from(bytes))
      for (const text of signed)
        assert.equal(
          hmac(text, encoding),
          createHmac('sha256', bytes).update(text).digest(encoding),
        )
    }),
  )
})
