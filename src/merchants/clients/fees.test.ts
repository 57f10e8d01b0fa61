import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { type FeeTerms, feeOn, isFree } from './fees.ts'

const cashout = serviceOf('WALLETA_SN_CASHOUT')
const cashin = serviceOf('WALLETA_SN_CASHIN')
const airtime = serviceOf('OPERATOR1_SN_AIRTIME')

// fixed, basis points, lowest, highest (none: null). At 29, 45, 58, 90 and 115 basis points some
// amounts come out wrong in floating point; at many other rates none does.
const rates: [number, number, number, number | null][] = [
  [0, 0, 0, null],
  [0, 1, 0, null],
  [0, 29, 0, null],
  [0, 45, 0, null],
  [0, 50, 0, null],
  [0, 100, 0, null],
  [0, 90, 0, null],
  [0, 115, 0, null],
  [0, 199, 0, null],
  [0, 9_999, 0, null],
  [0, 10_000, 0, null],
  [100, 0, 0, null],
  [100, 100, 0, null],
  [25, 58, 0, null],
  [0, 100, 50, null],
  [0, 100, 0, 5_000],
  [0, 100, 50, 5_000],
  [75, 123, 100, 9_999],
  [0, 250, 300, 300],
  [1, 1, 1, 0x7fff_ffff],
]

test('the fee is exact and whole for every amount from 200 to 1,000,000 at 20 rates', () => {
  assert.equal(rates.length, 20)
  for (const [fixed, basisPoints, min, max] of rates) {
    const exact = exactFees(BigInt(fixed), BigInt(basisPoints), BigInt(min), max)
    for (let amount = 200; amount <= 1_000_000; amount += 1) {
      const fee = feeOn(cashin, { fixed, basisPoints, min, max }, amount)
      const collected = feeOn(cashout, { fixed, basisPoints, min, max }, amount)
      const isWhole = Number.isSafeInteger(fee) && amount - collected + collected === amount
      if (fee === exact(amount) && collected === Math.min(fee, amount) && isWhole) continue
      assert.fail(`${amount} at ${fixed} + ${basisPoints} bp: ${fee}, not ${exact(amount)}`)
    }
  }
})

test('airtime costs one percent, whatever the contract says', () => {
  const exact = exactFees(0n, 100n, 0n, null)
  const expensive: FeeTerms = { fixed: 500, basisPoints: 900, min: 700, max: 800 }
  for (let amount = 200; amount <= 1_000_000; amount += 1)
    if (feeOn(airtime, expensive, amount) !== exact(amount)) assert.fail(`${amount}`)
})

test('the fee of a collection is at most its amount', () => {
  const expensive: FeeTerms = { fixed: 0, basisPoints: 100, min: 500, max: null }
  assert.equal(feeOn(cashout, expensive, 200), 200)
  assert.equal(feeOn(cashout, expensive, 600), 500)
  assert.equal(feeOn(cashin, expensive, 200), 500)
})

test('a service is free exactly if no amount costs anything', () => {
  const terms = { fixed: 0, basisPoints: 0, min: 0, max: null }
  const some: FeeTerms[] = [
    terms,
    ...[0, 1, 5000].map((max) => ({ ...terms, max })),
    { ...terms, fixed: 1 },
    { ...terms, basisPoints: 1 },
    { ...terms, min: 1 },
    { fixed: 1, basisPoints: 100, min: 1, max: 0 },
    { fixed: 1, basisPoints: 100, min: 1, max: 1 },
  ]
  for (const service of [cashout, cashin, airtime])
    for (const one of some) {
      const costs = [200, 5000, 1_000_000].some((amount) => feeOn(service, one, amount) > 0)
      assert.equal(isFree(service, one), !costs, `${service.code} ${JSON.stringify(one)}`)
    }
})

describe('the fee', () => {
  const scenarios: [string, Partial<FeeTerms>, number, number][] = [
    ['rounds half a franc up', { basisPoints: 100 }, 250, 3],
    ['rounds less than half down', { basisPoints: 100 }, 249, 2],
    ['is zero without terms', {}, 1_000_000, 0],
    ['adds the fixed part after rounding', { fixed: 10, basisPoints: 100 }, 250, 13],
    ['is at least the lowest', { basisPoints: 100, min: 50 }, 200, 50],
    ['is at most the highest', { basisPoints: 100, max: 50 }, 1_000_000, 50],
    ['may be limited to zero', { fixed: 10, max: 0 }, 1_000, 0],
  ]
  for (const [name, terms, amount, fee] of scenarios)
    it(name, () => {
      const all = { fixed: 0, basisPoints: 0, min: 0, max: null, ...terms }
      assert.equal(feeOn(cashout, all, amount), fee)
    })
})

/** The same with integers only: twice the share, plus one, divided by two. */
function exactFees(fixed: bigint, basisPoints: bigint, min: bigint, max: number | null) {
  const most = max === null ? null : BigInt(max)
  return (amount: number): number => {
    const share = (2n * BigInt(amount) * basisPoints + 10_000n) / 20_000n
    const fee = fixed + share < min ? min : fixed + share
    return Number(most !== null && fee > most ? most : fee)
  }
}

function serviceOf(code: string) {
  const service = parseServiceCode(code)
  if (service === undefined) throw new Error(`no service ${code}`)
  return service
}
