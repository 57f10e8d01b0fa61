import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { liveGateway } from '#test/live.ts'
import { chunksOf, csvOf } from '#test/statement-maker.ts'

const { recon } = await liveGateway()

async function keep(text: string) {
  const party = { provider: 'WALLETA', country: 'SN' }
  const kept = await recon.keep({ ...party, name: 'a.csv', file: chunksOf(text), actor: 'test' })
  assert.ok('file' in kept)
  return kept.file
}

describe('a file that is kept is surveyed', () => {
  it('once for all who ask at the same time', async () => {
    const file = await keep(csvOf([]))
    const surveys = await Promise.all([1, 2, 3].map(() => recon.surveyKept(file)))
    assert.equal(new Set(surveys).size, 1)
  })

  it('to an end that cannot be read, which is counted', async () => {
    const file = await keep(`${csvOf([])}a\0b\n`)
    assert.equal((await recon.surveyKept(file)).problems, 1)
  })
})
