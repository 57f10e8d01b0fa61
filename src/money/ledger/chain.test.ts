import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Currency } from '#merchants/catalog/countries.ts'
import { anchorOf, digestOf, genesis, linkOf } from './chain.ts'
import type { Line } from './postings.ts'

const line: Line = { account: 'fees', currency: 'XOF', amount: 5 }
const posting = {
  clientId: 1,
  id: 'a',
  kind: 'fund',
  ref: 'r',
  resolves: null,
  createdAt: new Date(0),
  lines: [line],
}
const entry = { account: 'held', version: 1, before: 0, amount: 5, after: 5 }

describe('a change of any single field changes', () => {
  const changes = [
    { clientId: 2 },
    { id: 'b' },
    { kind: 'hold' },
    { ref: 's' },
    { resolves: 'a' },
    { createdAt: new Date(1) },
    { lines: [] },
    { lines: [{ ...line, amount: 6 }] },
    { lines: [{ ...line, currency: 'XAF' as const }] },
    { lines: [{ ...line, account: 'held' }] },
  ]
  it("a posting's digest", () => {
    const digests = [{}, ...changes].map((change) => digestOf({ ...posting, ...change }))
    assert.equal(new Set(digests).size, changes.length + 1)
  })

  it("an entry's link", () => {
    const links = [
      linkOf(genesis, 'd', entry),
      linkOf('p', 'd', entry),
      linkOf(genesis, 'e', entry),
      ...[{ account: 'available' }, { version: 2 }, { before: 1 }, { amount: 6 }, { after: 6 }].map(
        (change) => linkOf(genesis, 'd', { ...entry, ...change }),
      ),
    ]
    assert.equal(new Set(links).size, links.length)
  })

  it('an anchor', () => {
    const at = new Date(0)
    const anchors = [
      anchorOf(genesis, 1, at, []),
      anchorOf('p', 1, at, []),
      anchorOf(genesis, 2, at, []),
      anchorOf(genesis, 1, new Date(1), []),
      anchorOf(genesis, 1, at, [[1, 'held', 1, 'h']]),
    ]
    assert.equal(new Set(anchors).size, anchors.length)
  })
})

it('hashes are those that are stored: the text under them does not change by one byte', () => {
  const resolved = '01890a5d-ac96-774b-bcce-b302099a8058'
  const stored = {
    clientId: 7,
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    kind: 'capture',
    ref: 'é "x"\n\u2028🙂\\',
    resolves: resolved,
    createdAt: new Date('2026-02-28T23:59:59.009Z'),
    lines: [
      { account: 'provider:WALLETA:SN', currency: 'XOF', amount: -5000 },
      { account: 'fees', currency: 'XAF', amount: Number.MAX_SAFE_INTEGER },
    ] satisfies Line[],
  }
  const digest = '71f04edd130a02d4caca9eb4ed97eadd1eae78e7fdd161119bcd58e72940c648'
  assert.equal(digestOf(stored), digest)
  assert.equal(
    digestOf({ ...stored, resolves: null, lines: [] }),
    '416b42aa3c3611d821d6d685b2f06562132701247da47da256ce2f607b8eddea',
  )
  assert.equal(
    linkOf(genesis, digest, { account: 'held', version: 12, before: 0, amount: 5000, after: 5000 }),
    'ba308143194f8cee571792d2f531638d9ee0c34a3b0cb3cf3d8fd803e8409cf1',
  )
  assert.equal(
    anchorOf(genesis, 3, stored.createdAt, [[7, 'held', 12, digest]]),
    '47d227cac447c9d7cd9af9fbbc1328d1c1d216a201296a0310521156ec186be2',
  )
})

describe('digests and links', () => {
  const text = fc.string({ unit: 'binary' })
  const integer = fc.maxSafeInteger()
  const currency = fc.constantFrom<Currency[]>('XOF', 'XAF')
  const sha256 = (value: unknown) => hash('sha256', JSON.stringify(value), 'hex')

  it('are the hashes of JSON.stringify of their fields, whatever the values', () => {
    const lines = fc.array(fc.record({ account: text, currency, amount: integer }))
    const resolves = fc.option(fc.uuid())
    // Any day, and many times of one day.
    const aDay = { min: new Date('2026-02-28'), max: new Date('2026-02-28T23:59:59.999Z') }
    const createdAt = fc.oneof(
      fc.date({ noInvalidDate: true }),
      fc.date({ noInvalidDate: true, ...aDay }),
    )
    const anyPosting = fc.record({
      clientId: fc.nat(),
      id: fc.uuid(),
      kind: text,
      ref: text,
      lines,
    })
    fc.assert(
      fc.property(anyPosting, resolves, createdAt, (some, holdId, at) => {
        const list = some.lines.map((one) => [one.account, one.currency, one.amount])
        const { clientId, id, kind, ref } = some
        assert.equal(
          digestOf({ ...some, resolves: holdId, createdAt: at }),
          sha256([clientId, id, kind, ref, holdId, at, list]),
        )
      }),
    )
    fc.assert(
      fc.property(text, fc.nat(), integer, (account, version, amount) => {
        const some = { account, version, before: amount, amount: -amount, after: 0 }
        assert.equal(
          linkOf(genesis, 'd', some),
          sha256([genesis, 'd', account, version, amount, -amount, 0]),
        )
      }),
    )
  })
})
