import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import type { Db } from '#data/db/db.ts'
import { makeAnchor } from '#money/ledger/anchor.ts'
import { digestOf, linkOf } from '#money/ledger/chain.ts'
import { decidePostings } from '#money/ledger/decide.ts'
import { post } from '#money/ledger/post.ts'
import type { Posting } from '#money/ledger/postings.ts'
import { lockAccounts, writePostings } from '#money/ledger/store.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { assertSound, bookkeeper } from '#test/ledger.ts'
import { statement } from '#test/statement.ts'
import { verifyLedger } from './ledger.ts'
import { countRecentBreaks } from './ledger-store.ts'

const clock = testClock()
const now = clock.now()

// The postings of each of two clients; at each bar an anchor is made. On the right, the entries.
const history = `
  fund f1 10000          available 1
  hold h1 1500           available 2, held 1
  hold h2 2000           available 3, held 2
  capture c1 h1 1485 15  held 3
  release r1 h2 2000     available 4, held 4
  collect k1 1000 20     available 5
  |
  hold h3 500            available 6, held 5
  collect k2 600 9 WALLETA_CM_CASHOUT  available 7
  |`
const steps = history
  .trim()
  .split(/\n\s*/)
  .map((line) => line.replace(/ {2}.*/, ''))

interface Ledger {
  db: Db
  /** May change everything: triggers and constraints are off. */
  owner: Db
  clientId: number
  /** The client's postings by reference. */
  postings: Map<string, Posting>
}

/** A ledger of its own for each test, of two clients; the tests change the second one's. */
async function ledger(): Promise<Ledger> {
  const { db, connect } = await testDatabase(source.database)
  return { ...source, db, owner: connect({ asOwner: true }) }
}

/** The ledger that each test gets a copy of: two clients with the same history. */
async function makeLedger() {
  const database = await testDatabase()
  const { db, connect } = database
  const owner = connect({ asOwner: true })
  for (const table of ['ledger_entries', 'ledger_postings', 'ledger_anchors'])
    await owner(statement(`alter table ${table} disable trigger user`))
  await owner`
    alter table ledger_entries drop constraint ledger_entries_check1,
      drop constraint ledger_entries_check2, drop constraint ledger_entries_check3,
      drop constraint ledger_entries_check4, drop constraint ledger_entries_currency_check,
      alter account drop not null, alter currency drop not null, alter amount drop not null`
  await owner`
    alter table ledger_postings drop constraint ledger_postings_client_id_resolves_fkey`
  const clients = [await newClient(db, clock), await newClient(db, clock)]
  const postings = new Map<string, Posting>()
  const all = clients.map((clientId) => bookkeeper(clientId, now))
  for (const text of steps)
    if (text === '|') await makeAnchor({ db, clock })
    else
      for (const books of all) {
        const posting = books.write(text)
        postings.set(posting.ref, posting)
        await db.transaction((tx) => post(tx, [posting], now))
      }
  await assertSound(db)
  await database.close()
  return { database, clientId: clients[1] ?? 0, postings }
}

const source = await makeLedger()

async function breaksOf(db: Db): Promise<string[]> {
  const { breaks } = await verifyLedger(db)
  return breaks.map(({ promise, clientId, where, what }) =>
    [promise, ...(clientId === null ? [] : [`client ${clientId}`]), where, what].join(', '),
  )
}

// name, reference of the posting P, what the owner does to it or its client C, the breaks
const broken: [string, string, string, string[]][] = [
  [
    'a changed amount of a system account',
    'c1',
    `update ledger_entries set amount = amount + 1 where posting_id = P and account = 'fees'`,
    [
      'balanced, client 2, posting P (capture c1), sums to 1 XOF',
      'untouched, client 2, posting P (capture c1), its content differs from its digest',
    ],
  ],
  [
    'two lines merged into one with separators in its account',
    'c1',
    `with gone as (delete from ledger_entries where posting_id = P and account like 'provider:%')
      update ledger_entries set account = 'provider:WALLETA:SN' || chr(9) || 'XOF' || chr(9)
        || '1485' || chr(10) || client_id || chr(9) || posting_id || chr(9) || 'fees'
      where posting_id = P and account = 'fees'`,
    [
      'balanced, client 2, posting P (capture c1), sums to -1485 XOF',
      'untouched, client 2, posting P (capture c1), its content differs from its digest',
    ],
  ],
  [
    'a line break added to an account',
    'c1',
    `update ledger_entries set account = 'fees' || chr(10) where posting_id = P
      and account = 'fees'`,
    ['untouched, client 2, posting P (capture c1), its content differs from its digest'],
  ],
  [
    'a currency with a comma in it',
    'c1',
    `update ledger_entries set currency = 'XOF,XOF' where posting_id = P
        and account = 'fees'`,
    [
      'balanced, client 2, posting P (capture c1), sums to -15 XOF',
      'balanced, client 2, posting P (capture c1), sums to 15 XOF,XOF',
      'untouched, client 2, posting P (capture c1), its content differs from its digest',
    ],
  ],
  [
    'an amount set to null',
    'c1',
    `update ledger_entries set amount = null where posting_id = P and account = 'fees'`,
    [
      'balanced, client 2, posting P (capture c1), sums to -15 XOF',
      'untouched, client 2, posting P (capture c1), its content differs from its digest',
    ],
  ],
  [
    'an account and a currency set to null',
    'c1',
    `update ledger_entries set account = null, currency = null where posting_id = P
        and account = 'fees'`,
    [
      'balanced, client 2, posting P (capture c1), sums to -15 XOF',
      'balanced, client 2, posting P (capture c1), sums to 15 null',
      'untouched, client 2, posting P (capture c1), its content differs from its digest',
    ],
  ],
  [
    'an entry without its version, balances and hash',
    'h3',
    `update ledger_entries set version = null, before = null, after = null, hash = null
      where posting_id = P and account = 'held'`,
    [
      'balance, client 2, account held, stores 500, its entries end at 0',
      'balance, client 2, account held, stands at version 5, its entries at 4',
      'anchor, anchor 2, client 2 held version 5 is not what it was',
    ],
  ],
  [
    'an entry with nothing left but its version',
    'r1',
    `update ledger_entries set before = null, after = null, hash = null
      where posting_id = P and account = 'available'`,
    [
      'continuous, client 2, available version 4 (posting P), ' +
        'goes from null by 2000 to null after a balance of 6500',
      'untouched, client 2, available version 4 (posting P), its hash does not follow the chain',
      'untouched, client 2, available version 5 (posting K), its hash does not follow the chain',
    ],
  ],
  [
    'a truncated hash',
    'k2',
    `update ledger_entries set hash = substr(hash, 2) where posting_id = P
      and account = 'available'`,
    [
      'untouched, client 2, available version 7 (posting P), its hash does not follow the chain',
      'balance, client 2, account available, stands at version 7, its entries at 7',
      'anchor, anchor 2, client 2 available version 7 is not what it was',
    ],
  ],
  [
    'a hold added that a posting resolves',
    'k1',
    `update ledger_postings set resolves = Z where id = P`,
    ['untouched, client 2, posting P (collect k1), its content differs from its digest'],
  ],
  [
    'a changed amount in another currency',
    'k2',
    `update ledger_entries set amount = amount - 1 where posting_id = P and currency = 'XAF'
      and account = 'exchange'`,
    [
      'balanced, client 2, posting P (collect k2), sums to -1 XAF',
      'untouched, client 2, posting P (collect k2), its content differs from its digest',
    ],
  ],
  [
    'a changed amount of a merchant',
    'k1',
    `update ledger_entries set amount = amount + 1, after = after + 1
      where posting_id = P and account = 'available'`,
    [
      'balanced, client 2, posting P (collect k1), sums to 1 XOF',
      'untouched, client 2, posting P (collect k1), its content differs from its digest',
      'untouched, client 2, available version 5 (posting P), its hash does not follow the chain',
    ],
  ],
  [
    'a changed amount in the last entry of an account',
    'k2',
    `update ledger_entries set amount = amount + 1, after = after + 1
      where posting_id = P and account = 'available'`,
    [
      'balanced, client 2, posting P (collect k2), sums to 1 XOF',
      'untouched, client 2, posting P (collect k2), its content differs from its digest',
      'untouched, client 2, available version 7 (posting P), its hash does not follow the chain',
    ],
  ],
  [
    'changed balances before and after an entry',
    'r1',
    `update ledger_entries set before = before + 1, after = after + 1
      where posting_id = P and account = 'available'`,
    [
      'continuous, client 2, available version 4 (posting P), ' +
        'goes from 6501 by 2000 to 8501 after a balance of 6500',
      'untouched, client 2, available version 4 (posting P), its hash does not follow the chain',
    ],
  ],
  [
    'a changed hash',
    'h3',
    `update ledger_entries set hash = sha256(hash) where posting_id = P and account = 'held'`,
    [
      'untouched, client 2, held version 5 (posting P), its hash does not follow the chain',
      'balance, client 2, account held, stands at version 5, its entries at 5',
      'anchor, anchor 2, client 2 held version 5 is not what it was',
    ],
  ],
  [
    'a changed reference',
    'k1',
    `update ledger_postings set ref = 'other' where client_id = C and id = P`,
    ['untouched, client 2, posting P (collect other), its content differs from its digest'],
  ],
  [
    'a changed time of a posting',
    'k1',
    `update ledger_postings set created_at = 'infinity' where id = P`,
    ['untouched, client 2, posting P (collect k1), its content differs from its digest'],
  ],
  [
    'a deleted entry',
    'r1',
    `delete from ledger_entries where posting_id = P and account = 'available'`,
    [
      'balanced, client 2, posting P (release r1), sums to -2000 XOF',
      'untouched, client 2, posting P (release r1), its content differs from its digest',
      'continuous, client 2, available version 5 (posting K), follows version 3',
      'continuous, client 2, available version 5 (posting K), ' +
        'goes from 8500 by 980 to 9480 after a balance of 6500',
      'untouched, client 2, available version 5 (posting K), its hash does not follow the chain',
    ],
  ],
  [
    'a deleted last posting',
    'k2',
    `with gone as (delete from ledger_entries where posting_id = P)
      delete from ledger_postings where id = P`,
    [
      'balance, client 2, account available, stores 9571, its entries end at 8980',
      'balance, client 2, account available, stands at version 7, its entries at 6',
      'anchor, anchor 2, client 2 available version 7 is not what it was',
    ],
  ],
  [
    'a posting without lines',
    'h3',
    `insert into ledger_postings values (C, Z, 'fund', 'empty', null, now(), '')`,
    [
      'balanced, client 2, posting Z (fund empty), has no lines',
      'untouched, client 2, posting Z (fund empty), its content differs from its digest',
    ],
  ],
  [
    'a line without a posting',
    'k1',
    `insert into ledger_entries values (C, Z, 0, 'held', 'XOF', 5, 0, 5, 99, '')`,
    ['balanced, client 2, posting Z, is gone, but not its lines'],
  ],
  [
    'a line without a posting, behind the last posting',
    'k1',
    `insert into ledger_entries
      values (C, L, 0, 'fees', 'XOF', 5)`,
    ['balanced, client 2, posting L, is gone, but not its lines'],
  ],
  [
    'a changed balance of an account',
    'k1',
    `update ledger_accounts set balance = balance + 1 where client_id = C and kind = 'held'`,
    ['balance, client 2, account held, stores 501, its entries end at 500'],
  ],
  [
    'a changed version of an account',
    'k1',
    `update ledger_accounts set version = 9 where client_id = C and kind = 'held'`,
    ['balance, client 2, account held, stands at version 9, its entries at 5'],
  ],
  [
    'a deleted account',
    'k1',
    `delete from ledger_accounts where client_id = C and kind = 'held'`,
    ['balance, client 2, account held, has entries and no balance'],
  ],
  [
    'a changed time of an anchor',
    'k1',
    `update ledger_anchors set created_at = created_at - interval '1 ms' where number = 1`,
    ['anchor, anchor 1, its hash does not follow'],
  ],
  [
    'a changed head in an anchor',
    'k1',
    `update ledger_anchors set heads = jsonb_set(heads, '{2,2}', '4') where number = 1`,
    [
      'anchor, anchor 1, its hash does not follow',
      'anchor, anchor 1, client 2 available version 4 is not what it was',
    ],
  ],
  [
    'a deleted anchor',
    'k1',
    `delete from ledger_anchors where number = 1`,
    ['anchor, anchor 2, follows 0', 'anchor, anchor 2, its hash does not follow'],
  ],
]

describe('verifyLedger reports', () => {
  for (const [name, ref, change, expected] of broken)
    it(`${name}, and nothing else`, async () => {
      const { db, owner, clientId, postings } = await ledger()
      const ids = { P: idOf(postings, ref), K: idOf(postings, 'k1'), Z: zeroId, L: lastId }
      const withIds = change.replace(/\b[LPZ]\b/g, (letter) => `'${ids[letter as 'P']}'`)
      await owner(statement(withIds.replace(/\bC\b/g, `${clientId}`)))
      const breaks = expected.map((line) =>
        line.replace(/posting ([LPKZ])\b/, (_, letter: 'P') => `posting ${ids[letter]}`),
      )
      assert.deepEqual(await breaksOf(db), breaks)
    })
})

describe('verifyLedger reports a forgery with correct hashes:', () => {
  it('a posting that does not balance', async () => {
    const { db, owner, clientId } = await ledger()
    const line = { account: 'fees', currency: 'XOF', amount: 5 } as const
    const posting = { clientId, id: zeroId, kind: 'fund', ref: 'gift', resolves: null }
    const digest = digestOf({ ...posting, createdAt: now, lines: [line] })
    await owner`
      insert into ledger_postings values
        (${clientId}, ${zeroId}, 'fund', 'gift', null, ${now}, decode(${digest}, 'hex'))`
    await owner`insert into ledger_entries values (${clientId}, ${zeroId}, 0, 'fees', 'XOF', 5)`
    assert.deepEqual(await breaksOf(db), [
      `balanced, client 2, posting ${zeroId} (fund gift), sums to 5 XOF`,
    ])
  })

  it('a hold that ends in part', async () => {
    const { db, clientId, postings } = await ledger()
    const part = ending(clientId, idOf(postings, 'h3'), 200)
    await force(db, part, 200)
    assert.deepEqual(await breaksOf(db), [
      `hold, client 2, posting ${part.id}, ends a hold in part or again`,
    ])
  })

  it('the end of what is no hold', async () => {
    const { db, clientId, postings } = await ledger()
    const end = ending(clientId, idOf(postings, 'f1'), 500)
    await force(db, end, 500)
    assert.deepEqual(await breaksOf(db), [
      `hold, client 2, posting ${end.id}, ends a hold in part or again`,
    ])
  })

  for (const [name, firstId] of [
    ['by ids after its own', 'fffffffe-0000-7000-8000-000000000000'],
    ['first by an id before its own', '00000000-0000-7000-8000-000000000001'],
  ])
    it(`a hold that ends twice, ${name}`, async () => {
      const { db, owner, clientId, postings } = await ledger()
      await owner`drop index ledger_postings_client_id_resolves_idx`
      const end = (id = '') => ({ ...ending(clientId, idOf(postings, 'h3'), 500), id })
      await force(db, end(firstId), 500)
      await db.transaction((tx) => post(tx, [bookkeeper(clientId, now).write('hold h4 500')], now))
      await force(db, end(lastId), 500)
      assert.deepEqual(await breaksOf(db), [
        `hold, client 2, posting ${lastId}, ends a hold in part or again`,
      ])
    })

  it('a last entry rewritten with its posting and account, by the anchor', async () => {
    const { db, owner, clientId, postings } = await ledger()
    const posting = postings.get('k2')
    assert.ok(posting !== undefined)
    const digest = digestOf({ ...posting, ref: 'forged', createdAt: now })
    await owner`
      update ledger_postings set ref = 'forged', digest = decode(${digest}, 'hex')
      where client_id = ${clientId} and id = ${posting.id}`
    const [before, last] = await owner<{ hash: string; before: number; after: number }>`
      select encode(hash, 'hex') as hash, before, after from ledger_entries
      where client_id = ${clientId} and account = 'available' and version in (6, 7)
      order by version`
    assert.ok(before !== undefined && last !== undefined)
    const entry = { account: 'available', version: 7, amount: last.after - last.before, ...last }
    const link = linkOf(before.hash, digest, entry)
    await owner`
      update ledger_entries set hash = decode(${link}, 'hex')
      where client_id = ${clientId} and account = 'available' and version = 7`
    await owner`
      update ledger_accounts set head = decode(${link}, 'hex')
      where client_id = ${clientId} and kind = 'available'`
    assert.deepEqual(await breaksOf(db), [
      'anchor, anchor 2, client 2 available version 7 is not what it was',
    ])
  })
})

test('verifyLedger reports at most 100 breaks', async () => {
  const { db, owner } = await ledger()
  await owner`
    insert into ledger_postings
    select 1, gen_random_uuid(), 'fund', 'x' || n, null, now(), '' from generate_series(1, 99) n`
  assert.equal((await verifyLedger(db)).breaks.length, 100)
})

test('countRecentBreaks counts unbalanced postings and accounts that differ', async () => {
  const { db, owner, clientId, postings } = await ledger()
  assert.deepEqual(await countRecentBreaks(db, now), { unbalanced: 0, adrift: 0 })
  await owner`update ledger_accounts set balance = balance + 1 where client_id = ${clientId}`
  await owner`insert into ledger_postings values (1, ${zeroId}, 'fund', 'empty', null, ${now}, '')`
  const id = idOf(postings, 'k1')
  await owner`update ledger_entries set currency = 'XAF' where line = 1 and posting_id = ${id}`
  assert.deepEqual(await countRecentBreaks(db, now), { unbalanced: 2, adrift: 2 })
  assert.equal((await countRecentBreaks(db, new Date(now.getTime() + 1))).unbalanced, 0)
})

const zeroId = '00000000-0000-7000-8000-000000000001'
const lastId = 'ffffffff-0000-7000-8000-000000000000'

function idOf(postings: Map<string, Posting>, ref: string): string {
  const posting = postings.get(ref)
  if (posting === undefined) throw new Error(`no posting ${ref}`)
  return posting.id
}

function ending(clientId: number, holdId: string, amount: number): Posting {
  const posting = bookkeeper(clientId, now).write(`release ${Math.random()} h ${amount}`)
  return { ...posting, resolves: holdId }
}

/** Posts what the ledger would refuse, by passing it a hold that is open and of that amount. */
function force(db: Db, posting: Posting, amount: number): Promise<void> {
  return db.transaction(async (tx) => {
    const accounts = await lockAccounts(tx, [posting.clientId])
    const holds = new Map([[`${posting.clientId} ${posting.resolves}`, { amount, isOpen: true }]])
    const known = { postedKeys: new Set<string>(), holds }
    const { accepted, movedAccounts } = decidePostings(accounts, known, [posting], now)
    await writePostings(tx, accepted, movedAccounts, now)
  })
}
