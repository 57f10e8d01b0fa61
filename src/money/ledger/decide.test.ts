import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { bookkeeper } from '#test/ledger.ts'
import { genesis } from './chain.ts'
import { type Account, decidePostings, type PostingResult, postingKey } from './decide.ts'
import type { Line, Posting } from './postings.ts'

const now = new Date('2026-01-15T10:00:00Z')

function accountsOf(clientId: number, available: number, held: number): Account[] {
  const account = { clientId, version: 5, head: genesis }
  return [
    { ...account, kind: 'available', balance: available },
    { ...account, kind: 'held', balance: held },
  ]
}

/** A result as text: the reason of a refusal, or the available balance before and after. */
function resultText(result: PostingResult): string {
  if (!result.isPosted) return result.because
  return `${result.available.before}>${result.available.after}`
}

// name, [available, held], known hold ("ref amount open|ended"), key of a posting that exists,
// postings, results
type Row = [string, [number, number], string, string, string[], string[]]
const decisions: Row[] = [
  ['no postings, no results', [0, 0], '', '', [], []],
  ['fund and withdraw', [0, 0], '', '', ['fund f 500', 'withdraw w 500'], ['0>500', '500>0']],
  ['withdraw one franc too many', [499, 0], '', '', ['withdraw w 500'], ['insufficient']],
  ['held money cannot be withdrawn', [0, 500], '', '', ['withdraw w 500'], ['insufficient']],
  ['hold the whole balance', [500, 0], '', '', ['hold h 500'], ['500>0']],
  ['hold more than the balance', [500, 0], '', '', ['hold h 501'], ['insufficient']],
  ['two holds, money for one', [9, 0], '', '', ['hold a 5', 'hold b 5'], ['9>4', 'insufficient']],
  [
    'a refused hold leaves the money to the next',
    [9, 0],
    '',
    '',
    ['hold a 10', 'hold b 9'],
    ['insufficient', '9>0'],
  ],
  ['collect less the fee', [0, 0], '', '', ['collect c 1000 20'], ['0>980']],
  ['collect with a fee of the whole amount', [0, 0], '', '', ['collect c 200 200'], ['0>0']],
  ['collect with a fee above the amount', [0, 0], '', '', ['collect c 200 250'], ['insufficient']],
  ['capture a hold', [0, 500], 'h 500 open', '', ['capture c h 490 10'], ['0>0']],
  ['release a hold', [0, 500], 'h 500 open', '', ['release r h 500'], ['0>500']],
  ['release an unknown hold', [0, 500], '', '', ['release r h 500'], ['hold_missing']],
  [
    'release a hold that ended before',
    [0, 500],
    'h 500 ended',
    '',
    ['release r h 500'],
    ['hold_resolved'],
  ],
  [
    'release a hold that the posting before captured',
    [0, 900],
    'h 400 open',
    '',
    ['capture c h 390 10', 'release r h 400'],
    ['0>0', 'hold_resolved'],
  ],
  [
    'hold, capture and release in one call',
    [500, 0],
    '',
    '',
    ['hold h 400', 'capture c h 390 10', 'release r h 400'],
    ['500>100', '100>100', 'hold_resolved'],
  ],
  [
    'capture a hold that was refused in the same call',
    [100, 0],
    '',
    '',
    ['hold h 400', 'capture c h 390 10'],
    ['insufficient', 'hold_missing'],
  ],
  ['a posting that exists is refused', [500, 0], '', 'fund f', ['fund f 500'], ['done_before']],
  [
    'the same posting twice in one call',
    [0, 0],
    '',
    '',
    ['fund f 500', 'fund f 500'],
    ['0>500', 'done_before'],
  ],
  [
    'the same key twice with two amounts',
    [0, 0],
    '',
    '',
    ['fund f 5', 'fund f 6'],
    ['0>5', 'done_before'],
  ],
  ['one reference for two kinds', [500, 0], '', 'fund x', ['withdraw x 5'], ['500>495']],
  [
    'refused for lack of money, accepted once there is some',
    [0, 0],
    '',
    '',
    ['withdraw w 5', 'fund f 5', 'withdraw w 5'],
    ['insufficient', '0>5', '5>0'],
  ],
  [
    'that it exists is checked before its hold',
    [0, 5],
    '',
    'release r',
    ['release r h 5'],
    ['done_before'],
  ],
]

describe('decidePostings:', () => {
  for (const [name, [available, held], holds, posted, texts, results] of decisions)
    it(name, () => {
      const books = bookkeeper(1, now)
      const known = {
        postedKeys: new Set(posted === '' ? [] : [`1 ${posted}`]),
        holds: new Map(
          [holds].filter(Boolean).map((text) => {
            const [ref = '', amount, state] = text.split(' ')
            const hold = { amount: Number(amount), isOpen: state === 'open' }
            return [`1 ${books.holdId(ref)}`, hold]
          }),
        ),
      }
      const locked = accountsOf(1, available, held)
      const decided = decidePostings(locked, known, texts.map(books.write), now)
      assert.deepEqual(decided.results.map(resultText), results)
      assert.equal(decided.accepted.length, results.filter((text) => text.includes('>')).length)
      assert.deepEqual(locked, accountsOf(1, available, held), 'the input is not changed')
    })
})

test('each client has its own balances, and only accounts that moved are returned', () => {
  const locked = [...accountsOf(1, 100, 0), ...accountsOf(2, 0, 0)]
  const [one, two] = [bookkeeper(1, now), bookkeeper(2, now)]
  const postings = [two.write('hold h 50'), one.write('hold h 50'), one.write('fund f 1')]
  const known = { postedKeys: new Set<string>(), holds: new Map() }
  const { results, movedAccounts, accepted } = decidePostings(locked, known, postings, now)
  assert.deepEqual(results.map(resultText), ['insufficient', '100>50', '50>51'])
  assert.deepEqual(
    movedAccounts.map(({ clientId, kind, balance, version }) => [clientId, kind, balance, version]),
    [
      [1, 'available', 51, 7],
      [1, 'held', 50, 6],
    ],
  )
  assert.deepEqual(
    accepted.flatMap(({ entries }) => entries).map((one) => [one.account, one.before, one.after]),
    [
      ['available', 100, 50],
      ['held', 0, 50],
      ['settlement', null, null],
      ['available', 50, 51],
    ],
  )
})

describe('decidePostings throws for a posting with', () => {
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
    ['an amount of zero', lines(['available', 0], ['fees', 0]), /0 is not a whole amount/],
    ['a fraction', lines(['available', 0.5], ['fees', -0.5]), /0.5 is not a whole amount/],
    [
      'an amount that is not a number',
      lines(['available', Number.NaN], ['fees', 5]),
      /NaN is not a whole amount/,
    ],
    [
      'an infinite amount',
      lines(['available', Number.POSITIVE_INFINITY], ['fees', Number.NEGATIVE_INFINITY]),
      /Infinity is not a whole amount/,
    ],
    [
      'an amount beyond exact integers',
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
    const known = { postedKeys: new Set<string>(), holds: new Map(open) }
    return decidePostings(accountsOf(1, 9999, 9999), known, [posting], now)
  }
  for (const [name, wrong, message] of scenarios)
    it(name, () => {
      const posting = { ...bookkeeper(1, now).write('fund f 1'), lines: wrong }
      assert.throws(() => decide(posting), message)
    })

  for (const text of ['release r h 399', 'release r h 401', 'capture c h 400 1'])
    it(`another amount than its hold of 400: "${text}"`, () => {
      const books = bookkeeper(1, now)
      const id = books.holdId('h')
      assert.throws(() => decide(books.write(text), [[id, 400]]), /must end the whole hold of 400/)
    })

  it('a client that has no accounts', () => {
    const posting = bookkeeper(2, now).write('fund f 1')
    assert.throws(() => decide(posting), /client 2 has no account "available"/)
  })
})

test('the key of a posting is its client, kind and reference', () => {
  const keys = [
    postingKey({ clientId: 1, kind: 'hold', ref: 'a' }),
    postingKey({ clientId: 2, kind: 'hold', ref: 'a' }),
    postingKey({ clientId: 1, kind: 'release', ref: 'a' }),
    postingKey({ clientId: 1, kind: 'hold', ref: 'b' }),
  ]
  assert.equal(new Set(keys).size, 4)
})
