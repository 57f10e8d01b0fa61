import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { maskPhone } from './mask-phone.ts'

describe('maskPhone', () => {
  const scenarios: [string, string][] = [
    ['771234567', '••••••67'],
    ['221771234567', '••••••67'],
    ['+221771234567', '••••••67'],
    ['77 123 45 67', '••••••67'],
    ['1234', '••••••'],
    ['', '••••••'],
  ]
  for (const [phone, masked] of scenarios)
    it(`shows "${phone}" as ${masked}`, () => assert.equal(maskPhone(phone), masked))

  it('is the only place that writes the form of a masked number', () => {
    const others = globSync('src/**/*.ts')
      .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('sealing/mask-phone.ts'))
      .filter((path) => /••|\*{5}/.test(readFileSync(path, 'utf8')))
    assert.deepEqual(others, [])
  })
})
