import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { genesis, linkOf } from '../ledger/chain.ts'
import type { Break } from './break.ts'
import { openChainCheck } from './chains.ts'
import type { StoredEntry } from './pages.ts'

/** An account's first entries, of one franc each. */
function chainOf(account: string, length: number): StoredEntry[] {
  let hash = genesis
  return Array.from({ length }, (_, before) => {
    const after = before + 1
    const entry = { account, version: after, before, amount: 1, after }
    const digest = `${after}`
    hash = linkOf(hash, digest, entry)
    return { ...entry, clientId: 1, hash, digest, postingId: 'p' }
  })
}

function check(entries: StoredEntry[], segmentsMax?: number) {
  const breaks: Break[] = []
  const chains = openChainCheck((one) => void breaks.push(one), segmentsMax)
  for (const entry of entries) chains.add(entry)
  const reported = () => breaks.map(({ promise, where, what }) => `${promise}: ${where} ${what}`)
  return { chains, reported }
}

describe('a faultless chain is checked', () => {
  const chain = chainOf('available', 50)
  const end = { balance: 50, version: 50, hash: chain.at(-1)?.hash }

  // name, the entries in the order in which they are added
  const orders: [string, StoredEntry[]][] = [
    ['in order', chain],
    ['in reverse order', chain.toReversed()],
    ['with each pair swapped', chain.toSorted((a, b) => swappedKey(a) - swappedKey(b))],
    ['with each five shuffled', chain.toSorted((a, b) => shuffledKey(a) - shuffledKey(b))],
  ]
  for (const [name, entries] of orders)
    it(name, () => {
      const { chains, reported } = check(entries, 3)
      assert.deepEqual(chains.finish().get('1 available'), end)
      assert.deepEqual(chains.restartOverflowed(), [])
      assert.deepEqual(reported(), [])
    })

  it('independently of the other accounts', () => {
    const held = chainOf('held', 3)
    const { chains, reported } = check([...held.toReversed(), ...chain])
    assert.equal(chains.finish().get('1 held')?.version, 3)
    assert.deepEqual(reported(), [])
  })

  it('with its first entry last, as one segment', () => {
    const { chains, reported } = check([...chain.slice(1), ...chain.slice(0, 1)], 1)
    assert.deepEqual(chains.restartOverflowed(), [])
    assert.deepEqual(chains.finish().get('1 available'), end)
    assert.deepEqual(reported(), [])
  })

  it('from the start again, after too many early entries', () => {
    const held = chainOf('held', 20)
    const gaps = [...chain, ...held].filter(({ version }) => version % 2 === 0)
    const { chains, reported } = check(gaps, 10)
    assert.deepEqual(chains.restartOverflowed(), [{ clientId: 1, account: 'available' }])
    for (const entry of chain) chains.add(entry)
    for (const entry of held) if (entry.version % 2 === 1) chains.add(entry)
    assert.deepEqual(chains.finish().get('1 available'), end)
    assert.deepEqual(reported(), [])
  })
})

describe('a fault of a chain is reported once:', () => {
  const chain = chainOf('available', 6)
  const changed = chain.map((one) => (one.version === 3 ? { ...one, hash: 'other' } : one))
  const wrong: [string, StoredEntry[], string[]][] = [
    [
      'an entry that is missing',
      chain.filter(({ version }) => version !== 3),
      [
        'continuous: available version 4 (posting p) follows version 2',
        'continuous: available version 4 (posting p) goes from 3 by 1 to 4 after a balance of 2',
        'untouched: available version 4 (posting p) its hash does not follow the chain',
      ],
    ],
    [
      'an entry that is read twice',
      [...chain, ...chain.slice(1, 2)],
      [
        'continuous: available version 2 (posting p) follows version 6',
        'continuous: available version 2 (posting p) goes from 1 by 1 to 2 after a balance of 6',
        'untouched: available version 2 (posting p) its hash does not follow the chain',
      ],
    ],
    [
      'an early entry that is read twice',
      [...chain.slice(1), ...chain.slice(1, 2), ...chain.slice(0, 1)],
      ['continuous: available version 2 (posting p) comes twice'],
    ],
    [
      'a hash that was changed',
      changed.toReversed(),
      [
        'untouched: available version 3 (posting p) its hash does not follow the chain',
        'untouched: available version 4 (posting p) its hash does not follow the chain',
      ],
    ],
  ]
  for (const [name, entries, expected] of wrong)
    it(name, () => {
      const { chains, reported } = check(entries)
      chains.finish()
      assert.deepEqual(reported(), expected)
    })
})

describe('the order in which entries are added', () => {
  const faults: ((entry: StoredEntry) => StoredEntry[])[] = [
    (entry) => [entry],
    () => [],
    (entry) => [{ ...entry, hash: 'other' }],
    (entry) => [{ ...entry, digest: 'other' }],
    (entry) => [{ ...entry, before: entry.before + 1 }],
    (entry) => [{ ...entry, after: entry.after + 1 }],
    (entry) => [{ ...entry, before: entry.before + 1, after: entry.after + 1 }],
  ]
  const someFaults = fc.array(fc.nat(faults.length - 1), { minLength: 12, maxLength: 12 })
  const sortKeys = fc.array(fc.nat(100), { minLength: 12, maxLength: 12 })

  it('does not change what is reported, nor the ends', () => {
    fc.assert(
      fc.property(someFaults, sortKeys, (kinds, keys) => {
        const entries = chainOf('available', 12).flatMap(
          (entry, index) => faults[kinds[index] ?? 0]?.(entry) ?? [],
        )
        const shuffled = entries.toSorted(
          (a, b) => (keys[a.version - 1] ?? 0) - (keys[b.version - 1] ?? 0),
        )
        const [inOrder, mixed] = [check(entries), check(shuffled)]
        assert.deepEqual(mixed.chains.finish(), inOrder.chains.finish())
        assert.deepEqual(mixed.reported(), inOrder.reported())
      }),
      { numRuns: 2000 },
    )
  })
})

/** Keeps groups of five together and changes the order within each. */
function shuffledKey({ version }: StoredEntry): number {
  return Math.floor(version / 5) + ((version * 7) % 5) / 5
}

function swappedKey({ version }: StoredEntry): number {
  return version % 2 === 0 ? version - 1.5 : version
}
