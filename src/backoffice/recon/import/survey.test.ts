import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { doubtsIn } from './survey.ts'

const dayMs = 86_400_000
const day = (number: number, lines = 1) =>
  Array.from({ length: lines }, (_, index) => number * dayMs + index)
const days = (count: number, lines: number) =>
  Array.from({ length: count }, (_, number) => day(number, lines)).flat()

describe('a file asks again', () => {
  const found = { asked: 10, matched: 5, unexplained: 0 }
  const open = { fromAt: null, toAt: null }
  const rows: [name: string, times: number[], times: object, isWide: boolean][] = [
    ['of one day', day(3, 500), {}, false],
    ['of a month', days(30, 40), {}, false],
    ['of a week with few lines', days(7, 1), {}, false],
    ['of two lines', [...day(0), ...day(9)], {}, false],
    ['of a day with one date of weeks ago', [...day(0), ...day(18, 500)], {}, true],
    ['of a month with one date of next month', [...days(30, 40), ...day(45)], {}, true],
    ['whose time is given', [...day(0), ...day(18, 500)], { fromAt: new Date(0) }, false],
  ]
  for (const [name, times, given, isWide] of rows)
    it(`${name}: ${isWide ? 'its dates are doubted' : 'no'}`, () =>
      assert.deepEqual(doubtsIn(found, times, { ...open, ...given }), isWide ? ['wide'] : []))

  it('where less than half of its payments are ours', () =>
    assert.deepEqual(doubtsIn({ ...found, matched: 4 }, day(0, 9), open), ['few_match']))

  it('whose lines are not what its balances differ by', () =>
    assert.deepEqual(doubtsIn({ ...found, unexplained: -1 }, day(0, 9), open), ['balance']))
})
