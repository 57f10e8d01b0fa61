import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { services } from '#merchants/catalog/services.ts'
import { bookkeeper } from '#test/ledger.ts'
import { adjust, capture, collect, type Posting, providerFee, transfer } from './postings.ts'

const books = bookkeeper(1, new Date('2026-01-15T10:00:00Z'))

describe('a posting', () => {
  const scenarios: [string, string, string][] = [
    ['that funds the merchant', 'fund f 500', 'settlement -500, available 500'],
    ['that pays the merchant out', 'withdraw w 500', 'available -500, settlement 500'],
    ['that holds', 'hold h 500', 'available -500, held 500'],
    ['that releases a hold', 'release r h 500', 'held -500, available 500'],
    ['that captures a hold', 'capture c h 490 10', 'held -500, provider:WALLETA:SN 490, fees 10'],
    ['that captures without a fee', 'capture c h 500 0', 'held -500, provider:WALLETA:SN 500'],
    [
      'that captures for airtime',
      'capture c h 490 10 OPERATOR1_SN_AIRTIME',
      'held -500, provider:OPERATOR1:SN 490, fees 10',
    ],
    ['that collects', 'collect c 500 10', 'provider:WALLETA:SN -500, available 490, fees 10'],
    ['that collects without a fee', 'collect c 500 0', 'provider:WALLETA:SN -500, available 500'],
    [
      'that collects nothing but the fee',
      'collect c 200 200',
      'provider:WALLETA:SN -200, fees 200',
    ],
    ['of unexplained money collected', 'suspend s 500', 'provider:WALLETA:SN -500, suspense 500'],
    ['of unexplained money paid out', 'suspend s -500', 'provider:WALLETA:SN 500, suspense -500'],
    ['of unexplained money given to the merchant', 'explain s 500', 'suspense -500, available 500'],
    [
      'that collects in Cameroon, in XAF',
      'collect c 500 10 WALLETF_CM_CASHOUT',
      'provider:WALLETF:CM XAF -500, exchange XAF 500, exchange -500, available 490, fees 10',
    ],
  ]
  for (const [name, text, lines] of scenarios)
    it(`${name}: ${text}`, () => {
      assert.equal(linesText(books.write(text)), lines)
    })

  it('of our own money with a provider goes through its account, in its currency', () => {
    const [senegal, cameroon] = ['WALLETA_SN_CASHOUT', 'WALLETF_CM_CASHOUT'].map((wanted) =>
      services.find(({ code }) => code === wanted),
    )
    assert.ok(senegal && cameroon)
    const head = { clientId: 1, id: 'x', ref: 'x' }
    const lines = [
      adjust(head, 'fees', 5),
      transfer('t', senegal, 500),
      transfer('t', senegal, -1),
      transfer('t', senegal, 0),
      transfer('t', cameroon, 500),
      providerFee('p', senegal, 1),
      providerFee('p', senegal, 0),
    ].map(linesText)
    assert.deepEqual(lines, [
      'fees -5, available 5',
      'provider:WALLETA:SN -500, settlement 500',
      'provider:WALLETA:SN 1, settlement -1',
      '',
      'provider:WALLETF:CM XAF -500, exchange XAF 500, exchange -500, settlement 500',
      'provider:WALLETA:SN 1, provider_fees -1',
      '',
    ])
  })

  it('names the hold that it ends, if it is a release or a capture', () => {
    const holdId = books.holdId('h')
    const ends = ['fund f 1', 'hold h 1', 'release r h 1', 'capture c h 1 0', 'collect k 1 0']
    assert.deepEqual(
      ends.map((text) => books.write(text).resolves),
      [null, null, holdId, holdId, null],
    )
  })

  it('balances in each currency for every service, amount and fee', () => {
    const head = { clientId: 1, id: 'x', ref: 'x' }
    const amounts = fc.integer({ min: 200, max: 1_000_000 })
    const fees = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(fc.constantFrom(...services), amounts, fees, (service, amount, fee) => {
        const postings = [
          collect(head, service, amount, fee),
          capture(head, 'hold', service, amount, fee),
        ]
        for (const { lines } of postings) {
          for (const currency of ['XOF', 'XAF'])
            assert.equal(sum(lines.filter((line) => line.currency === currency)), 0)
          assert.ok(lines.every((line) => Number.isSafeInteger(line.amount) && line.amount !== 0))
          const isForeign = lines.some((line) => line.currency === 'XAF')
          assert.equal(isForeign, service.country === 'CM')
        }
      }),
    )
  })
})

function linesText({ lines }: Pick<Posting, 'lines'>): string {
  return lines
    .map(({ account, currency, amount }) =>
      currency === 'XOF' ? `${account} ${amount}` : `${account} ${currency} ${amount}`,
    )
    .join(', ')
}

function sum(lines: { amount: number }[]): number {
  return lines.reduce((total, { amount }) => total + amount, 0)
}
