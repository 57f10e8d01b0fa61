import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { genesis, linkOf } from '#money/ledger/chain.ts'
import type { Break } from './break.ts'
import { verifyChains } from './chains.ts'
import type { StoredEntry } from './ledger-store.ts'

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

async function check(entries: StoredEntry[]) {
  const breaks: Break[] = []
  const pages = [entries.slice(0, 3), entries.slice(3)]
  let read = 0
  const ends = await verifyChains(
    pagesOf(pages),
    (one) => void breaks.push(one),
    (count) => void (read += count),
  )
  assert.equal(read, entries.length)
  const reported = breaks.map(({ promise, where, what }) => `${promise}: ${where} ${what}`)
  return { ends, reported }
}

async function* pagesOf(pages: StoredEntry[][]) {
  yield* pages
}

it('faultless chains are checked up to their ends, each by itself', async () => {
  const [available, held] = [chainOf('available', 50), chainOf('held', 3)]
  const { ends, reported } = await check([...available, ...held])
  assert.deepEqual(reported, [])
  assert.deepEqual(ends.get('1 available'), {
    balance: 50,
    version: 50,
    hash: available.at(-1)?.hash,
  })
  assert.equal(ends.get('1 held')?.version, 3)
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
      'a version that two entries have',
      [...chain.slice(0, 2), ...chain.slice(1)],
      [
        'continuous: available version 2 (posting p) follows version 2',
        'continuous: available version 2 (posting p) goes from 1 by 1 to 2 after a balance of 2',
        'untouched: available version 2 (posting p) its hash does not follow the chain',
      ],
    ],
    [
      'a hash that was changed',
      changed,
      [
        'untouched: available version 3 (posting p) its hash does not follow the chain',
        'untouched: available version 4 (posting p) its hash does not follow the chain',
      ],
    ],
  ]
  for (const [name, entries, expected] of wrong)
    it(name, async () => {
      const { ends, reported } = await check(entries)
      assert.deepEqual(reported, expected)
      assert.equal(ends.get('1 available')?.version, 6)
    })
})
