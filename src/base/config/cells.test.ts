import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readConfig } from './config.ts'

it('refuses a name of a cell that cannot be', () => {
  const name = 'a small letter and up to 11 small letters or digits, such as c1'
  const problems = [`CELL must be ${name}, not "Dakar-1".`]
  assert.throws(() => readConfig({ CELL: 'Dakar-1' }), { problems })
})

it('adds the name of a cell to the default address of its pages alone', () => {
  const { publicUrl, payUrl } = readConfig({ CELL: 'c1' })
  assert.equal(payUrl, `${publicUrl}/cells/c1/pay`)
  const own = 'https://c1.example.com'
  assert.equal(readConfig({ CELL: 'c1', PAY_URL: own }).payUrl, own)
})
