import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RecentMap } from './recent-map.ts'

const keys = Array.from({ length: 12 }, (_, index) => `k${index}`)

describe('a recent map', () => {
  it('evicts the entries set longest ago; setting a key again renews it', () => {
    const map = new RecentMap<string, number>(4)
    for (const [index, key] of ['a', 'b', 'a', 'c'].entries()) map.set(key, index)
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => map.get(key)),
      [2, undefined, 3],
    )
  })

  it('keeps the last half of its capacity as a plain list does, and nothing deleted', () => {
    const step = fc.record({ key: fc.constantFrom(...keys), isDeleted: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, max) => {
          const map = new RecentMap<string, number>(max)
          const half = Math.max(1, Math.floor(max / 2))
          const sets: number[] = []
          let known: [key: string, value: number][] = []
          steps.forEach(({ key, isDeleted }, value) => {
            known = known.filter(([other]) => other !== key)
            if (isDeleted) map.delete(key)
            else {
              map.set(key, value)
              sets.push(value)
              known.push([key, value])
            }
            const since = sets.at(-half) ?? 0
            for (const [recent, last] of known)
              if (last >= since) assert.equal(map.get(recent), last)
            const kept = keys.flatMap((one) => map.get(one) ?? [])
            assert.ok(kept.length <= max, `${kept.length} of ${max}`)
            for (const one of kept) assert.ok(known.some(([, last]) => last === one))
          })
        },
      ),
    )
  })
})
