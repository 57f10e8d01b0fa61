import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Cost, estimateOf, groupsOf, halvesOf, sharesOf } from './groups.ts'

const cost = (msPerSecond: number, tookMs = 5): Cost => ({ msPerSecond, perSecond: 200, tookMs })
const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
/** What a group takes of the thread in a second. */
const takes = (group: Cost[]) =>
  sum(sharesOf(group).map((share, at) => share * (group[at]?.msPerSecond ?? 0)))

describe('groups of addresses that are attacked at once', () => {
  it('have every address once, the dearest together', () => {
    const found = [10, 900, 20, 800, 30, 700, 40].map((ms) => cost(ms))
    const groups = groupsOf(found, 3)
    assert.deepEqual(
      groups.map((group) => group.map(({ msPerSecond }) => msPerSecond)),
      [[900, 800, 700], [40, 30, 20], [10]],
    )
    assert.deepEqual(groupsOf([], 3), [])
    assert.equal(groupsOf(found, 100).length, 7)
  })

  it('take more of the thread together than any of them alone', () => {
    for (const group of [
      [cost(900), cost(800), cost(700)],
      Array.from({ length: 40 }, (_, at) => cost(20 * at)),
      [cost(600), ...Array.from({ length: 30 }, () => cost(100))],
    ])
      assert.ok(takes(group) >= Math.max(...group.map(({ msPerSecond }) => msPerSecond)) * 1.05)
  })

  it('of cheap addresses take as much as a dear one, as far as requests can be sent', () => {
    const cheap = Array.from({ length: 30 }, () => cost(150))
    assert.ok(Math.abs(takes(cheap) - 400) < 1)
    assert.ok(sum(sharesOf(cheap).map((share) => share * 200)) <= 800)
  })

  it('send all that one attacker can to an address that is alone, or is answered late', () => {
    assert.deepEqual(sharesOf([cost(5)]), [1])
    assert.equal(sharesOf([cost(5), cost(90), cost(10)])[1], 1)
    const [late, usual] = sharesOf([cost(5, 300), cost(5000)])
    assert.equal(late, 1)
    assert.ok(usual !== undefined && usual > 0)
  })

  it('are split until one address is left', () => {
    assert.deepEqual(halvesOf([1, 2, 3]), [[1, 2], [3]])
    assert.deepEqual(halvesOf([1]), [[1]])
  })

  it('take so many minutes, both experiments together less than forty', () => {
    const stranger = estimateOf({ pairs: 262, groups: 7, seconds: 60, isThorough: true })
    const neighbour = estimateOf({
      pairs: 550,
      groups: 14,
      seconds: 60,
      isThorough: true,
      files: 6,
    })
    const minutes = [stranger, neighbour].map((text) => Number(/: (\d+) minutes/.exec(text)?.[1]))
    assert.ok(sum(minutes) > 20 && sum(minutes) <= 40, `${stranger}; ${neighbour}`)
  })
})
