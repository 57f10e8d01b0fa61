import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { bookkeeper } from '../../test/ledger.ts'
import { genesis } from './chain.ts'
import type { Account, Posted } from './decide.ts'
import { decidePostings, keyOf } from './decide.ts'
import type { Line, Posting } from './postings.ts'

const now = new Date('2026-01-15T10:00:00Z')

function accountsOf(clientId: number, available: number, held: number): Account[] {
  const account = { clientId, version: 5, head: genesis }
  return [
    { ...account, kind: 'available', balance: available },
    { ...account, kind: 'held', balance: held },
  ]
}

function shown(answer: Posted): string {
  if (!answer.isPosted) return answer.because
  return `${answer.available.before}>${answer.available.after}`
}

// name, [available, held], holds known ("ref amount open|ended"), done before, postings, answers
type Row = [string, [number, number], string, string, string[], string[]]
const decisions: Row[] = [
  ['none', [0, 0], '', '', [], []],
  ['money in and out', [0, 0], '', '', ['fund f 500', 'withdraw w 500'], ['0>500', '500>0']],
  ['one franc too many', [499, 0], '', '', ['withdraw w 500'], ['insufficient']],
  ['held money is not spent', [0, 500], '', '', ['withdraw w 500'], ['insufficient']],
  ['a hold of all', [500, 0], '', '', ['hold h 500'], ['500>0']],
  ['a hold of more', [500, 0], '', '', ['hold h 501'], ['insufficient']],
  ['two holds, one affordable', [9, 0], '', '', ['hold a 5', 'hold b 5'], ['9>4', 'insufficient']],
  [
    'a refused one leaves money',
    [9, 0],
    '',
    '',
    ['hold a 10', 'hold b 9'],
    ['insufficient', '9>0'],
  ],
  ['a collection less its fee', [0, 0], '', '', ['collect c 1000 20'], ['0>980']],
  ['a collection all fee', [0, 0], '', '', ['collect c 200 200'], ['0>0']],
  ['a fee above a collection', [0, 0], '', '', ['collect c 200 250'], ['insufficient']],
  ['a capture', [0, 500], 'h 500 open', '', ['capture c h 490 10'], ['0>0']],
  ['a release', [0, 500], 'h 500 open', '', ['release r h 500'], ['0>500']],
  ['an unknown hold', [0, 500], '', '', ['release r h 500'], ['hold_missing']],
  ['an ended hold', [0, 500], 'h 500 ended', '', ['release r h 500'], ['hold_resolved']],
  [
    'a hold ended by the posting before',
    [0, 900],
    'h 400 open',
    '',
    ['capture c h 390 10', 'release r h 400'],
    ['0>0', 'hold_resolved'],
  ],
  [
    'a hold made and ended together',
    [500, 0],
    '',
    '',
    ['hold h 400', 'capture c h 390 10', 'release r h 400'],
    ['500>100', '100>100', 'hold_resolved'],
  ],
  [
    'a hold that was refused cannot be ended',
    [100, 0],
    '',
    '',
    ['hold h 400', 'capture c h 390 10'],
    ['insufficient', 'hold_missing'],
  ],
  ['done before', [500, 0], '', 'fund f', ['fund f 500'], ['done_before']],
  ['twice in one go', [0, 0], '', '', ['fund f 500', 'fund f 500'], ['0>500', 'done_before']],
  ['twice, with another amount', [0, 0], '', '', ['fund f 5', 'fund f 6'], ['0>5', 'done_before']],
  ['one ref for two kinds', [500, 0], '', 'fund x', ['withdraw x 5'], ['500>495']],
  [
    'refused once, affordable later',
    [0, 0],
    '',
    '',
    ['withdraw w 5', 'fund f 5', 'withdraw w 5'],
    ['insufficient', '0>5', '5>0'],
  ],
  ['done before wins over the hold', [0, 5], '', 'release r', ['release r h 5'], ['done_before']],
]

describe('postings', () => {
  for (const [name, [available, held], holds, done, words, answers] of decisions)
    it(name, () => {
      const books = bookkeeper(1, now)
      const known = {
        done: new Set(done === '' ? [] : [`1 ${done}`]),
        holds: new Map(
          [holds].filter(Boolean).map((text) => {
            const [ref = '', amount, state] = text.split(' ')
            const hold = { amount: Number(amount), isOpen: state === 'open' }
            return [`1 ${books.holdId(ref)}`, hold]
          }),
        ),
      }
      const locked = accountsOf(1, available, held)
      const decided = decidePostings(locked, known, words.map(books.write), now)
      assert.deepEqual(decided.answers.map(shown), answers)
      assert.equal(decided.made.length, answers.filter((answer) => answer.includes('>')).length)
      assert.deepEqual(locked, accountsOf(1, available, held), 'what was read is left as it was')
    })
})

test('clients are decided apart, and only accounts that moved are written', () => {
  const locked = [...accountsOf(1, 100, 0), ...accountsOf(2, 0, 0)]
  const [one, two] = [bookkeeper(1, now), bookkeeper(2, now)]
  const postings = [two.write('hold h 50'), one.write('hold h 50'), one.write('fund f 1')]
  const known = { done: new Set<string>(), holds: new Map() }
  const { answers, moved, made } = decidePostings(locked, known, postings, now)
  assert.deepEqual(answers.map(shown), ['insufficient', '100>50', '50>51'])
  assert.deepEqual(
    moved.map(({ clientId, kind, balance, version }) => [clientId, kind, balance, version]),
    [
      [1, 'available', 51, 7],
      [1, 'held', 50, 6],
    ],
  )
  assert.deepEqual(
    made.flatMap(({ entries }) => entries).map((one) => [one.account, one.before, one.after]),
    [
      ['available', 100, 50],
      ['held', 0, 50],
      ['settlement', null, null],
      ['available', 50, 51],
    ],
  )
})

describe('a bug of ours is thrown, never posted:', () => {
  const lines = (...amounts: [string, number, ('XOF' | 'XAF')?][]): Line[] =>
    amounts.map(([account, amount, currency = 'XOF']) => ({ account, currency, amount }))
  const scenarios: [string, Line[], RegExp][] = [
    ['no lines', [], /does not balance/],
    ['a single line', lines(['fees', 5]), /does not balance/],
    ['a sum that is not zero', lines(['available', 5], ['fees', -4]), /does not balance/],
    [
      'two currencies that only balance together',
      lines(['available', 5], ['provider:WALLETA:CM', -5, 'XAF']),
      /does not balance/,
    ],
    ['a line of zero', lines(['available', 0], ['fees', 0]), /0 is not a whole amount/],
    ['a fraction', lines(['available', 0.5], ['fees', -0.5]), /0.5 is not a whole amount/],
    ['no number', lines(['available', Number.NaN], ['fees', 5]), /NaN is not a whole amount/],
    [
      'an endless amount',
      lines(['available', Number.POSITIVE_INFINITY], ['fees', Number.NEGATIVE_INFINITY]),
      /Infinity is not a whole amount/,
    ],
    [
      'an inexact amount',
      lines(['available', 2 ** 53], ['fees', -(2 ** 53)]),
      /9007199254740992 is not a whole amount/,
    ],
    [
      'an account named twice',
      lines(['available', 5], ['available', -4], ['fees', -1]),
      /names "available" twice/,
    ],
  ]
  const decide = (posting: Posting, holds: [string, number][] = []) => {
    const open = holds.map(([id, amount]): [string, { amount: number; isOpen: boolean }] => [
      `1 ${id}`,
      { amount, isOpen: true },
    ])
    const known = { done: new Set<string>(), holds: new Map(open) }
    return decidePostings(accountsOf(1, 9999, 9999), known, [posting], now)
  }
  for (const [name, posted, message] of scenarios)
    it(name, () => {
      const posting = { ...bookkeeper(1, now).write('fund f 1'), lines: posted }
      assert.throws(() => decide(posting), message)
    })

  for (const words of ['release r h 399', 'release r h 401', 'capture c h 400 1'])
    it(`"${words}" of a hold of 400`, () => {
      const books = bookkeeper(1, now)
      const id = books.holdId('h')
      assert.throws(() => decide(books.write(words), [[id, 400]]), /must end the whole hold of 400/)
    })

  it('a client without accounts', () => {
    const posting = bookkeeper(2, now).write('fund f 1')
    assert.throws(() => decide(posting), /client 2 has no account "available"/)
  })
})

test('a posting happens once for each client, kind and reference', () => {
  const keys = [
    keyOf({ clientId: 1, kind: 'hold', ref: 'a' }),
    keyOf({ clientId: 2, kind: 'hold', ref: 'a' }),
    keyOf({ clientId: 1, kind: 'release', ref: 'a' }),
    keyOf({ clientId: 1, kind: 'hold', ref: 'b' }),
  ]
  assert.equal(new Set(keys).size, 4)
})
