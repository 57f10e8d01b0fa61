import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Break } from './break.ts'
import { genesis, linkOf } from './chain.ts'
import { openChains } from './verify-chains.ts'
import type { StoredEntry } from './verify-pages.ts'

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
    ['in groups that are each shuffled', chain.toSorted((a, b) => key(a) - key(b))],
  ]
  for (const [name, entries] of orders)
    it(name, () => {
      const { chains, said } = follow(entries)
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

  it('again from the start when too much came too early', () => {
    const { chains, said } = follow(chain.toReversed(), 10)
    assert.deepEqual(chains.disorderly(), [{ clientId: 1, account: 'available' }])
    for (const entry of chain) chains.take(entry)
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

/** Groups of five stay together; within one, any order. */
function key({ version }: StoredEntry): number {
  return Math.floor(version / 5) + ((version * 7) % 5) / 5
}
