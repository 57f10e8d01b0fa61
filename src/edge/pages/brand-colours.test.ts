import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contrastOf } from '#base/kit/colour.ts'
import { brandColours, brandStyle, contrastMin, theme } from './brand-colours.ts'

/** Every colour whose channels are multiples of 15: 18 of each. */
const colours = Array.from({ length: 18 ** 3 }, (_, index) => {
  const channels = [Math.floor(index / 324), Math.floor(index / 18) % 18, index % 18]
  return `#${channels.map((one) => (one * 15).toString(16).padStart(2, '0')).join('')}`
})

describe('contrastOf', () => {
  // Ratios that the W3C's examples and checkers give.
  const rows: [string, string, number][] = [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#0000ff', '#ffffff', 8.59],
    ['#ff0000', '#ffffff', 4],
  ]
  for (const [one, other, ratio] of rows)
    it(`of ${one} on ${other} is ${ratio}`, () => {
      assert.equal(Number(contrastOf(one, other).toFixed(2)), ratio)
      assert.equal(contrastOf(one, other), contrastOf(other, one))
    })
})

describe("a merchant's colour", () => {
  it('gives every text a contrast of 4.5 in both schemes, whatever it is', () => {
    for (const colour of colours) {
      const { own, marks } = brandColours(colour)
      const pairs: [string, string][] = [[own.text, own.background]]
      for (const scheme of ['light', 'dark'] as const) {
        const { main, onMain, tint } = marks[scheme]
        const { card = '', paper = '', ink = '', soft = '' } = theme[scheme]
        pairs.push([onMain, main], [ink, tint], [soft, tint])
        pairs.push([main, card], [main, paper], [main, tint])
      }
      for (const [text, ground] of pairs) {
        const ratio = contrastOf(text, ground)
        assert.ok(ratio >= contrastMin, `${colour}: ${text} on ${ground} is ${ratio}`)
      }
    }
  })

  it('stays as it is where it can be read', () => {
    const { own, marks } = brandColours('#7b1fa2')
    assert.deepEqual(own, { background: '#7b1fa2', text: '#ffffff' })
    assert.equal(marks.light.main, '#7b1fa2')
    assert.notEqual(marks.dark.main, '#7b1fa2')
    assert.equal(brandColours('#ffd600').own.text, '#000000')
  })

  it('is nothing but colours in a style', () => {
    const style = brandStyle('#ffd600')
    const declared = /^:root\{(--[a-z-]+:#[0-9a-f]{6,8};?)+\}@media \(prefers-color-scheme:dark\)/
    assert.match(style, declared)
    assert.match(style, /\{:root\{(--[a-z-]+:#[0-9a-f]{6};?)+\}\}$/)
  })
})
