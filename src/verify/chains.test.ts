import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { genesis, linkOf } from '../ledger/chain.ts'
import type { Break } from './break.ts'
import { openChains } from './chains.ts'
import type { StoredEntry } from './pages.ts'

/** An account's first entries, a franc each. */
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

function follow(entries: StoredEntry[], waitingMax?: number) {
  const breaks: Break[] = []
  const chains = openChains((one) => void breaks.push(one), waitingMax)
  for (const entry of entries) chains.take(entry)
  const said = () => breaks.map(({ promise, where, what }) => `${promise}: ${where} ${what}`)
  return { chains, said }
}

describe('chains are followed', () => {
  const chain = chainOf('available', 50)
  const end = { balance: 50, version: 50, head: chain.at(-1)?.hash }

  // name, the order in which entries come
  const orders: [string, StoredEntry[]][] = [
    ['in order', chain],
    ['backwards', chain.toReversed()],
    ['in pairs that are each turned', chain.toSorted((a, b) => turned(a) - turned(b))],
    ['in groups that are each shuffled', chain.toSorted((a, b) => key(a) - key(b))],
  ]
  for (const [name, entries] of orders)
    it(name, () => {
      const { chains, said } = follow(entries, 3)
      assert.deepEqual(chains.end().get('1 available'), end)
      assert.deepEqual(chains.disorderly(), [])
      assert.deepEqual(said(), [])
    })

  it('each by itself', () => {
    const held = chainOf('held', 3)
    const { chains, said } = follow([...held.toReversed(), ...chain])
    assert.equal(chains.end().get('1 held')?.version, 3)
    assert.deepEqual(said(), [])
  })

  it('with all that waits for one entry taking the room of one', () => {
    const { chains, said } = follow([...chain.slice(1), ...chain.slice(0, 1)], 1)
    assert.deepEqual(chains.disorderly(), [])
    assert.deepEqual(chains.end().get('1 available'), end)
    assert.deepEqual(said(), [])
  })

  it('again from the start when too much came too early', () => {
    const held = chainOf('held', 20)
    const gaps = [...chain, ...held].filter(({ version }) => version % 2 === 0)
    const { chains, said } = follow(gaps, 10)
    assert.deepEqual(chains.disorderly(), [{ clientId: 1, account: 'available' }])
    for (const entry of chain) chains.take(entry)
    for (const entry of held) if (entry.version % 2 === 1) chains.take(entry)
    assert.deepEqual(chains.end().get('1 available'), end)
    assert.deepEqual(said(), [])
  })
})

describe('what is wrong with a chain is told once', () => {
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
      'an entry that comes twice',
      [...chain, ...chain.slice(1, 2)],
      [
        'continuous: available version 2 (posting p) follows version 6',
        'continuous: available version 2 (posting p) goes from 1 by 1 to 2 after a balance of 6',
        'untouched: available version 2 (posting p) its hash does not follow the chain',
      ],
    ],
    [
      'an entry that comes twice and early',
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
      const { chains, said } = follow(entries)
      chains.end()
      assert.deepEqual(said(), expected)
    })
})

describe('in whatever order entries come', () => {
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
  const moves = fc.array(fc.nat(100), { minLength: 12, maxLength: 12 })

  it('the same is told of them', () => {
    fc.assert(
      fc.property(someFaults, moves, (kinds, order) => {
        const entries = chainOf('available', 12).flatMap(
          (entry, index) => faults[kinds[index] ?? 0]?.(entry) ?? [],
        )
        const shuffled = entries.toSorted(
          (a, b) => (order[a.version - 1] ?? 0) - (order[b.version - 1] ?? 0),
        )
        const [straight, mixed] = [follow(entries), follow(shuffled)]
        assert.deepEqual(mixed.chains.end(), straight.chains.end())
        assert.deepEqual(mixed.said(), straight.said())
      }),
      { numRuns: 2000 },
    )
  })
})

/** Groups of five stay together; within one, any order. */
function key({ version }: StoredEntry): number {
  return Math.floor(version / 5) + ((version * 7) % 5) / 5
}

function turned({ version }: StoredEntry): number {
  return version % 2 === 0 ? version - 1.5 : version
}
