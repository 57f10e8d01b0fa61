import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeMonotonicClock } from '#test/fake-time.ts'
import { cached } from './cached.ts'

const longMs = 60_000
const clock = fakeMonotonicClock()

/** A cached function that returns the number of the load, with the list of keys it loaded. */
function counted(ttlMs: number, entriesMax?: number) {
  const loaded: string[] = []
  const get = cached(
    ttlMs,
    async (key: string) => {
      loaded.push(key)
      if (key === 'failing') throw new Error(`no ${loaded.length}`)
      return loaded.length
    },
    entriesMax,
  )
  return { get, loaded }
}

describe('cached', () => {
  it('loads once for concurrent calls and for later ones within the time', async () => {
    const { get, loaded } = counted(longMs)
    assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), [1, 1, 2])
    assert.equal(await get('a'), 1)
    assert.deepEqual(loaded, ['a', 'b'])
  })

  it('loads again once the time is over', async () => {
    const { get } = counted(20)
    assert.equal(await get('a'), 1)
    clock.advance(19)
    assert.equal(await get('a'), 1)
    clock.advance(1)
    assert.equal(await get('a'), 2)
  })

  it('counts the time from the start of a load, however long it takes', async () => {
    let loaded = 0
    const get = cached(20, async () => {
      loaded += 1
      clock.advance(40)
    })
    await get('a')
    await get('a')
    assert.equal(loaded, 2)
  })

  it('rejects all calls that share a failed load, and does not cache the failure', async () => {
    const { get } = counted(longMs)
    const together = [get('failing'), get('failing')]
    for (const one of together) await assert.rejects(one, /^Error: no 1$/)
    await assert.rejects(get('failing'), /^Error: no 2$/)
  })

  it('evicts the oldest entries beyond its bound', async () => {
    const { get, loaded } = counted(longMs, 4)
    for (const key of ['a', 'b', 'c', 'd', 'e', 'd', 'e', 'a']) await get(key)
    assert.deepEqual(loaded, ['a', 'b', 'c', 'd', 'e', 'a'])
  })

  it('loads a forgotten key again, and no other', async () => {
    const { get, loaded } = counted(longMs)
    await Promise.all([get('a'), get('b')])
    get.forget('a')
    get.forget('never loaded')
    assert.deepEqual(await Promise.all([get('a'), get('b'), get('a')]), [3, 2, 3])
    assert.deepEqual(loaded, ['a', 'b', 'a'])
  })

  it('does not give the result of a load that was forgotten meanwhile to later calls', async () => {
    const answers: ((answer: string) => void)[] = []
    const get = cached(longMs, () => new Promise<string>((resolve) => answers.push(resolve)))
    const before = get('a')
    get.forget('a')
    const after = get('a')
    answers[1]?.('new')
    answers[0]?.('old')
    assert.deepEqual(await Promise.all([before, after, get('a')]), ['old', 'new', 'new'])
  })
})
