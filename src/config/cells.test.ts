import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readConfig } from './config.ts'

const HEALTH_TOKEN = 'h'.repeat(32)

it('refuses settings of cells that cannot be', () => {
  const name = 'a small letter and up to 11 small letters or digits, such as c1'
  const others = 'like c2=https://10.0.2.1:8080, separated by commas'
  for (const [environment, problem] of [
    [{ CELL: 'Dakar-1' }, `CELL must be ${name}, not "Dakar-1".`],
    [{ HEALTH_TOKEN: 'hush' }, 'HEALTH_TOKEN must be 32 to 256 characters without spaces.'],
    [{ OTHER_CELLS: 'c2', HEALTH_TOKEN }, `OTHER_CELLS must look ${others}, not "c2".`],
    [{ OTHER_CELLS: 'c2=https://c2' }, 'OTHER_CELLS needs HEALTH_TOKEN, the same in all cells.'],
  ] as const)
    assert.throws(() => readConfig(environment), { problems: [problem] })
})

it('adds the name of a cell to the default address of its pages alone', () => {
  const { publicUrl, payUrl } = readConfig({ CELL: 'c1' })
  assert.equal(payUrl, `${publicUrl}/cells/c1/pay`)
  const own = 'https://c1.example.com'
  assert.equal(readConfig({ CELL: 'c1', PAY_URL: own }).payUrl, own)
})

it('reads the addresses of other cells', () => {
  const OTHER_CELLS = 'c2=https://10.0.2.1:8080/, c3=http://10.0.3.1'
  const { otherCells, healthToken } = readConfig({ OTHER_CELLS, HEALTH_TOKEN })
  assert.deepEqual(otherCells, [
    { name: 'c2', url: 'https://10.0.2.1:8080' },
    { name: 'c3', url: 'http://10.0.3.1' },
  ])
  assert.equal(healthToken, HEALTH_TOKEN)
})
