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

const stays = new AbortController().signal

describe('a file that is kept is surveyed', () => {
  it('once for all who ask at the same time', async () => {
    const file = await keep(csvOf([]))
    const surveys = await Promise.all([1, 2, 3].map(() => recon.surveyKept(file, stays)))
    assert.equal(new Set(surveys).size, 1)
  })

  it('no longer when all who asked have left, and anew for who asks then', async () => {
    // Of several parts: it looks before each whether somebody waits.
    const file = await keep(`${csvOf([])}${'\n'.repeat(5_000_000)}`)
    const readers = [new AbortController(), new AbortController()]
    const [first, second] = readers.map(({ signal }) => recon.surveyKept(file, signal))
    readers[0]?.abort()
    readers[1]?.abort()
    await assert.rejects(first ?? Promise.resolve(), /Nobody waits/)
    await assert.rejects(second ?? Promise.resolve(), /Nobody waits/)
    const one = new AbortController()
    const both = [recon.surveyKept(file, one.signal), recon.surveyKept(file, stays)]
    one.abort()
    assert.deepEqual(await both[1], await both[0])
    assert.equal((await recon.surveyKept(file, stays)).lines, 0)
  })

  it('to an end that cannot be read, which is counted', async () => {
    const file = await keep(`${csvOf([])}a\0b\n`)
    assert.equal((await recon.surveyKept(file, stays)).problems, 1)
  })
})
