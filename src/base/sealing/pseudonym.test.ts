import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maskPhone } from './mask-phone.ts'
import { isPseudonym, openPseudonyms } from './pseudonym.ts'

const pseudonymOf = openPseudonyms(Buffer.alloc(32, 1))

describe('a pseudonym', () => {
  it('is the same for the same number, and another for any other', () => {
    assert.equal(pseudonymOf('771234567'), pseudonymOf('771234567'))
    const numbers = Array.from({ length: 1000 }, (_, index) => String(770_000_000 + index))
    assert.equal(new Set(numbers.map(pseudonymOf)).size, 1000)
  })

  it('is another with another key', () => {
    const others = openPseudonyms(Buffer.alloc(32, 2))
    assert.notEqual(others('771234567'), pseudonymOf('771234567'))
  })

  it('has no digit that could be read as a number, and is recognised', () => {
    const text = pseudonymOf('771234567')
    assert.match(text, /^anon-[a-p]{16}$/)
    assert.ok(isPseudonym(text))
    for (const other of ['771234567', '', 'anon-', `${text}x`, text.toUpperCase()])
      assert.ok(!isPseudonym(other), other)
  })

  it('stays as it is, and an empty text too', () => {
    const text = pseudonymOf('771234567')
    assert.equal(pseudonymOf(text), text)
    assert.equal(pseudonymOf(''), '')
  })

  it('is masked as a whole', () => {
    assert.equal(maskPhone(pseudonymOf('771234567')), maskPhone(''))
  })
})
