import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { after, systemClock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { openLog } from '#base/log/log.ts'
import { closeAuditChain } from '#data/db/audit-chain.ts'
import { pay, payBody } from '#test/bills.ts'
import {
  call,
  collected,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  paidWhenContinued,
  post,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { statement } from '#test/statement.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'
import { openRecon } from '../open.ts'
import { UnreadableStatement } from './import.ts'
import { insertLines } from './line-store.ts'
import { countsOf, type Statement } from './statement.ts'
import { insertStatement } from './statement-store.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, transactions, approvals } = gateway
const hourMs = 3_600_000
// An hour later the lines of all payments of a test are to be expected in a statement.
const clock = { now: () => after(systemClock.now(), hourMs) }
const { pseudonymOf } = transactions.context
const log = openLog('silent')
const recon = openRecon({ db, clock, log, transactions, approvals, pseudonymOf })
let numbers = 779_000_000

const party = (code: string) => {
  const [provider = '', country = ''] = code.split('_')
  return { provider, country }
}

/** The hours around now, in which everything of these tests happens. */
const aroundNow = () => ({
  from: after(systemClock.now(), -hourMs),
  to: after(systemClock.now(), hourMs / 2),
})

function importLines(code: string, lines: MadeLine[], change: object = {}): Promise<Statement> {
  const file = chunksOf(csvOf(lines))
  return recon.import({ ...party(code), name: 'test.csv', file, actor: 'test', ...change })
}

async function started(code: string, steps: object[], change: object = {}): Promise<string> {
  numbers += 1
  const number = String(numbers)
  await script(gateway, number, steps)
  const order = initBody({ serviceCode: code, number, ...change })
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
  return String(body.transaction.transactionId)
}

/** An order that its provider has taken and never ends. */
const stuck = (code: string) => started(code, [])

async function paid(code: string, change: object = {}): Promise<string> {
  const id = await started(code, [{ do: 'succeed' }, { do: 'callback' }], change)
  assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  return id
}

async function statusOf(id: string): Promise<string> {
  const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
  return row?.status ?? ''
}

/** The differences that a statement has opened, in the order of its lines. */
async function caseKindsOf({ id: statementId }: Statement): Promise<[number | null, string][]> {
  const cases = await recon.cases({ statementId }, { limit: 1000 })
  return cases
    .toSorted((one, other) => (one.line ?? 1e9) - (other.line ?? 1e9))
    .map(({ kind, line }) => [line, kind])
}

describe('the statement of the lab', () => {
  const code = 'WALLETA_SN_CASHOUT'

  it('agrees, ends what was not known, and changes nothing a second time', async () => {
    await paid(code)
    await paid('WALLETA_SN_CASHIN')
    const declined = await started(code, [{ do: 'decline' }, { do: 'callback' }])
    await until(gateway, declined, isEnd)
    await stuck(code)
    const unknown = await started(code, [{ do: 'lose_answer' }, ...paidWhenContinued])
    const number = String(numbers)
    await post(`${gateway.lab.url}/lab/outage`, { connector: 'gsma', mode: 'refuse', seconds: 600 })
    await continuePayer(gateway, number)
    const day = systemClock.now().toISOString().slice(0, 10)
    const address = `${gateway.lab.url}/lab/statement?provider=WALLETA&country=SN&day=${day}`
    let text = ''
    await eventually('the lab tells of five orders', async () => {
      text = await (await fetch(address)).text()
      return text.split('\n').length === 7 && text.endsWith('succeeded\n')
    })
    assert.equal(await statusOf(unknown), 'PROCESSING')
    const order = { ...party(code), name: 'lab.csv', actor: 'test' }
    const first = await recon.import({ ...order, file: chunksOf(text) })
    assert.deepEqual(countsOf(first), {
      lines: 5,
      matched: 5,
      oursOnly: 0,
      theirsOnly: 0,
      different: 0,
      ended: 1,
      cases: 0,
    })
    assert.equal(await statusOf(unknown), 'SUCCESS')
    const again = await recon.import({ ...order, name: 'again.csv', file: chunksOf(text, 7) })
    assert.deepEqual(again, first)
    assert.equal((await recon.balance(first)).difference, 0)
    await post(`${gateway.lab.url}/lab/outage`, { connector: 'gsma', mode: 'refuse', seconds: 0 })
    await assertMoney(gateway)
  })
})

describe('what a line proves', () => {
  it('ends an open collection, payout, bill and refund, in both directions', async () => {
    const original = await collected(gateway, { serviceCode: 'WALLETE_CI_CASHOUT' })
    const refunds: string[] = []
    for (const amount of [1000, 1500]) {
      await script(gateway, '771234567', [])
      const answer = await call(gateway, `POST /api/v1/transaction/refund/${original}`, { amount })
      refunds.push(String(answer.body.refund.refundId))
    }
    const bills: string[] = []
    for (const customer of ['100000001', '100000002']) {
      await script(gateway, customer, [])
      const { body } = await pay(gateway, payBody({ reference_client: customer }))
      bills.push(String(body.transaction.transactionId))
    }
    const pairs: [string, string[]][] = [
      [
        'WALLETE_CI_CASHOUT',
        [await stuck('WALLETE_CI_CASHOUT'), await stuck('WALLETE_CI_CASHOUT')],
      ],
      ['WALLETE_CI_CASHIN', [await stuck('WALLETE_CI_CASHIN'), await stuck('WALLETE_CI_CASHIN')]],
      ['WALLETE_CI_CASHOUT', refunds],
      ['WATER_SN_BILL', bills],
    ]
    for (const [code, [success = '', failure = '']] of pairs) {
      const lines = [await lineOf(db, success), await lineOf(db, failure, { status: 'failed' })]
      const done = await importLines(code, lines)
      assert.deepEqual([done.matched, done.ended, done.cases], [2, 2, 0], code)
      assert.deepEqual([await statusOf(success), await statusOf(failure)], ['SUCCESS', 'FAILED'])
    }
    const [evidence] = await db`
      select count(*) as count from evidence where source = 'statement'`
    assert.deepEqual(evidence, { count: 9 })
  })

  it('says nothing of a failure unless it names our attempt', async () => {
    const id = await stuck('WALLETB_SN_CASHOUT')
    const line = await lineOf(db, id, { our_reference: '', status: 'failed' })
    const done = await importLines('WALLETB_SN_CASHOUT', [line])
    assert.deepEqual([done.different, done.ended], [1, 0])
    assert.deepEqual(await caseKindsOf(done), [[2, 'status']])
    assert.notEqual(await statusOf(id), 'FAILED')
  })
})

/** The conflicts that a statement's differences name, by kind. */
async function conflictsOf({ id: statementId }: Statement) {
  const cases = await recon.cases({ statementId }, { limit: 100 })
  const ids = cases.flatMap(({ details: { conflictId } }) => conflictId ?? [])
  const rows = await db<{ kind: string }>`
    select kind from conflicts where id = any(${ids}::uuid[]) order by kind`
  return rows.map(({ kind }) => kind)
}

const suspense = async () => {
  const [row] = await db<{ sum: number }>`
    select coalesce(sum(amount), 0)::bigint as sum from ledger_entries where account = 'suspense'`
  return row?.sum ?? 0
}

/** The parts add up to the difference, always; returns them by name. */
async function partsOf(statement: Statement): Promise<Record<string, number>> {
  const { difference, parts } = await recon.balance(statement)
  assert.equal(
    parts.reduce((sum, { amount }) => sum + amount, 0),
    difference,
    JSON.stringify(parts),
  )
  return Object.fromEntries(parts.map(({ name, amount }) => [name, amount]))
}

describe('what contradicts what is final', () => {
  it('is a conflict and a case, and moves nothing that is final', async () => {
    const code = 'WALLETC_SN_CASHOUT'
    const decline = [{ do: 'decline' }, { do: 'callback' }]
    const lost = await paid(code)
    const late = await started(code, decline)
    const latePayout = await started('WALLETC_SN_CASHIN', decline)
    const other = await paid(code)
    const twice = await paid(code)
    for (const id of [late, latePayout]) assert.equal(await until(gateway, id, isEnd), 'FAILED')
    const ids = [lost, late, latePayout, other, twice]
    const before = await Promise.all(ids.map(statusOf))
    const lines = [
      await lineOf(db, lost, { status: 'failed' }),
      await lineOf(db, late, { amount: 5000, reference: 'late' }),
      await lineOf(db, latePayout, { reference: 'late-payout' }),
      await lineOf(db, other, { amount: 4900 }),
      await lineOf(db, twice),
      await lineOf(db, twice, { reference: 'second' }),
    ]
    const held = await suspense()
    const done = await importLines(code, lines)
    assert.deepEqual(await caseKindsOf(done), [
      [2, 'status'],
      [3, 'status'],
      [4, 'status'],
      [5, 'amount'],
      [7, 'duplicate'],
    ])
    assert.deepEqual([done.matched, done.different, done.ended], [1, 5, 0])
    assert.deepEqual(await conflictsOf(done), [
      'contradiction',
      'late_success',
      'late_success',
      'late_success',
      'wrong_amount',
    ])
    assert.deepEqual(await Promise.all(ids.map(statusOf)), before)
    // The late collection, the second payment, and the late payout.
    assert.equal((await suspense()) - held, 5000 + 5000 - 5000)
    assert.deepEqual(await partsOf(done), { different: -5100 })
  })
})

describe('every kind of difference', () => {
  const code = 'WALLETG_CI_CASHOUT'
  const dayMs = 24 * hourMs

  it('is found, and nothing else is', async () => {
    const terms = { collect: { basisPoints: 100, fixed: 0 } }
    await recon.saveMapping({ ...party(code), fees: terms, actor: 'test' })
    const ids = await Promise.all(Array.from({ length: 7 }, () => paid(code)))
    const [missing = '', amount = '', pending = '', fee = '', day = '', twice = '', ...good] = ids
    const own = (id: string, change: Partial<MadeLine> = {}) =>
      lineOf(db, id, { fee: 50, ...change })
    const earlier = after(systemClock.now(), -3 * dayMs).toISOString()
    const lines = [
      await own(good[0] ?? ''),
      await own(amount, { amount: 5100, fee: 51 }),
      await own(pending, { status: 'pending', fee: 0 }),
      await own(fee, { fee: 60 }),
      await own(day, { moment: earlier }),
      await own(twice),
      await own(twice),
      { ...(await own(good[0] ?? '')), reference: 'unknown', our_reference: '1.nothing' },
    ]
    const from = after(systemClock.now(), -5 * dayMs)
    const done = await importLines(code, lines, { ...aroundNow(), from })
    assert.deepEqual(await caseKindsOf(done), [
      [3, 'amount'],
      [4, 'status'],
      [5, 'fee'],
      [6, 'day'],
      [8, 'duplicate'],
      [9, 'theirs_only'],
      [null, 'ours_only'],
    ])
    const { lines: count, matched, oursOnly, theirsOnly, different, cases } = done
    assert.deepEqual([count, matched, oursOnly, theirsOnly, different, cases], [8, 2, 1, 1, 5, 7])
    const [only] = await recon.cases({ statementId: done.id, kind: 'ours_only' }, { limit: 5 })
    assert.equal(only?.transactionId, missing)
    const parts = await partsOf(done)
    assert.deepEqual(parts, { theirs_only: 5000, different: 100, ours_only: -5000, fees: -50 })
  })
})

describe('files of the same time', () => {
  const code = 'WALLETA_CI_CASHOUT'

  it('are one: known lines, changed ones, and what the next file explains', async () => {
    const ids = [await paid(code), await paid(code), await paid(code)]
    const [one, two, three] = await Promise.all(ids.map((id) => lineOf(db, id, { fee: 10 })))
    assert.ok(one && two && three)
    const feeLine = { ...one, our_reference: '', reference: 'monthly', kind: 'fee', amount: 300 }
    const monthly = { ...feeLine, fee: 0 }
    const transfer = { ...monthly, reference: 'bank', kind: 'transfer', amount: -2000 }
    const range = aroundNow()
    const first = await importLines(code, [one, monthly, { ...transfer }], range)
    assert.deepEqual([first.matched, first.oursOnly, first.cases], [3, 2, 2])
    assert.deepEqual([first.fees, first.transfers], [310, -2000])
    assert.deepEqual(await partsOf(first), { ours_only: -10_000 })
    const second = await importLines(code, [one, monthly, two, { ...three, amount: 4000 }], range)
    assert.deepEqual([second.known, second.matched, second.different], [2, 1, 1])
    assert.deepEqual([second.fees, second.cases], [20, 1])
    const explained = await recon.cases({ statementId: first.id }, { limit: 5 })
    assert.deepEqual(
      explained.map(({ state, closing, closedBy }) => [state, closing, closedBy]),
      [
        ['closed', 'explained', 'gateway'],
        ['closed', 'explained', 'gateway'],
      ],
    )
    await partsOf(second)
    await partsOf(first)
    const changed = await importLines(code, [{ ...one, amount: 4900 }], range)
    assert.deepEqual(await caseKindsOf(changed), [[2, 'amount']])
    assert.equal(changed.fees, 0)
    await partsOf(changed)
  })

  it('follow each other to the franc', async () => {
    const own = 'WALLETA_ML_CASHOUT'
    const now = systemClock.now()
    const ids = [await paid(own), await paid(own, { amount: 700 })]
    const [one, two] = await Promise.all(ids.map((id) => lineOf(db, id, { fee: 7 })))
    assert.ok(one && two)
    const middle = after(new Date(one.moment), 1)
    const earlier = await importLines(own, [one], { from: now, to: middle })
    const later = await importLines(own, [two], { from: middle, to: after(now, hourMs / 2) })
    for (const statement of [earlier, later]) {
      const { difference, source } = await recon.balance(statement)
      assert.deepEqual([difference, source], [0, 'ledger'])
    }
  })
})

describe('lines that nothing names', () => {
  it('may say the same several times, and are known in the next file', async () => {
    const moment = '2026-01-15T00:00:00Z'
    const fee = { moment, reference: '', our_reference: '', number: '', fee: 0 }
    const lines = Array.from({ length: 3 }, () => ({
      ...fee,
      kind: 'fee',
      amount: 100,
      status: 'succeeded',
    }))
    const first = await importLines('WALLETG_CI_CASHOUT', lines)
    assert.deepEqual([first.lines, first.known, first.cases], [3, 0, 0])
    const other = { ...lines[0], moment: '2026-01-16T00:00:00Z' } as MadeLine
    const second = await importLines('WALLETG_CI_CASHOUT', [
      ...lines,
      lines[0],
      other,
    ] as MadeLine[])
    assert.deepEqual([second.lines, second.known, second.cases], [5, 3, 0])
  })

  it('may be imported by two at once, as one file or two: nothing is counted twice', async () => {
    const moment = '2026-01-15T10:00:00Z'
    const line = { moment, our_reference: '', number: '', kind: 'fee', amount: 7, fee: 0 }
    const made = (references: string[]): MadeLine[] =>
      references.map((reference) => ({ ...line, reference, status: 'succeeded' }))
    const files = [
      ['a1', 'a2', 'a3'],
      ['a1', 'a2', 'a3'],
      ['a2', 'a3', 'a4'],
      ['a3', 'a4', 'a5'],
    ]
    const all = await Promise.all(files.map((one) => importLines('WALLETE_ML_CASHOUT', made(one))))
    assert.equal(new Set(all.map(({ id }) => id)).size, 3)
    const [booked] = await db<{ sum: number }>`
      select sum(fees)::int as sum from statements where (provider, country) = ('WALLETE', 'ML')`
    assert.equal(booked?.sum, 35)
  })
})

describe('a file that cannot be understood', () => {
  it('is refused with every problem by line, and leaves nothing', async () => {
    const line = { kind: 'collect', number: '', fee: 0, status: 'succeeded' }
    const good = { moment: '2026-01-15T10:00:00Z', reference: 'a', our_reference: '', amount: 5 }
    const wrong: MadeLine[] = [
      { ...good, ...line },
      { ...good, ...line, moment: 'yesterday' },
      { ...good, ...line, amount: 0.5, status: 'maybe' },
      { ...good, ...line, moment: '2026-02-15T10:00:00Z' },
    ]
    const range = { from: new Date('2026-01-15'), to: new Date('2026-01-16') }
    const heard: number[] = []
    const onProblem = ({ line }: { line: number }) => void heard.push(line)
    const thrown = await importLines('ELEC_SN_BILL', wrong, { ...range, onProblem }).catch(
      (problem: unknown) => problem,
    )
    assert.ok(thrown instanceof UnreadableStatement)
    assert.deepEqual([...new Set(heard)], [3, 4, 5])
    assert.equal(thrown.count, heard.length)
    const left = await db`
      select from statements s where provider = 'ELEC'
      union all select from statement_lines where identity = 'r:a'`
    assert.equal(left.length, 0)
    await assert.rejects(importLines('ELEC_SN_BILL', []), /The file has no lines/)
    await assert.rejects(importLines('WALLETZ_SN', wrong), /There is no provider WALLETZ in SN/)
  })
})

it('what a process that was killed had stored of a file is not kept', async () => {
  const left = { id: newId(systemClock.now()), ...party('ELEC_SN_BILL'), name: 'x', format: '' }
  await insertStatement(db, { ...left, importedBy: 'x', importedAt: systemClock.now() })
  const line = { line: 2, at: systemClock.now(), reference: 'left', ourReference: null, fee: 0 }
  const more = { kind: 'bill', phone: null, amount: 1, sign: -1, balance: null } as const
  await insertLines(db, left.id, [{ ...line, ...more, status: 'failed', identity: 'r:left' }])
  const one = { moment: '2026-01-15T10:00:00Z', reference: 'left', our_reference: '', number: '' }
  const same = { ...one, kind: 'bill', amount: 1, fee: 0, status: 'failed' }
  const done = await importLines('ELEC_SN_BILL', [same])
  assert.deepEqual([done.known, done.theirsOnly], [0, 1])
  assert.deepEqual(
    (await recon.list({ ...party('ELEC_SN_BILL'), limit: 5 })).map(({ id }) => id),
    [done.id],
  )
})

describe('an import whose connection dies', () => {
  const code = 'WALLETE_ML_CASHOUT'
  const owner = gateway.connect({ asOwner: true })
  before(
    () => owner`
      create function die() returns trigger language plpgsql security definer as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
  )

  // where, when it dies, the state that is left
  const deaths: [string, string, string[]][] = [
    ['while lines are stored', 'insert', []],
    ['while they are compared', 'update of bucket', ['matching']],
    ['while evidence is recorded', 'update of proves', ['matching']],
  ]
  for (const [where, when, left] of deaths)
    it(`${where} is done by the next one, once`, async () => {
      const [open, good] = [await stuck(code), await paid(code)]
      const lines = [await lineOf(db, good, { fee: 3 }), await lineOf(db, open)]
      const condition =
        when === 'insert'
          ? 'true'
          : when === 'update of bucket'
            ? 'new.bucket is not null'
            : 'old.proves and not new.proves'
      await owner(
        statement(`
        create trigger die before ${when} on statement_lines for each row
        when (${condition}) execute function die()`),
      )
      try {
        await assert.rejects(importLines(code, lines))
      } finally {
        await owner`drop trigger die on statement_lines`
      }
      const states = await db<{ state: string }>`
        select state from statements where provider = 'WALLETE' and country = 'ML'
          and state <> 'read'`
      assert.deepEqual(
        states.map(({ state }) => state),
        left,
      )
      assert.ok(!isEnd(await statusOf(open)))
      const done = await importLines(code, lines)
      assert.deepEqual([done.matched, done.ended, done.cases, done.fees], [2, 1, 0, 3])
      assert.equal(await statusOf(open), 'SUCCESS')
      assert.deepEqual(await importLines(code, lines), done)
      assert.deepEqual(await partsOf(done), {})
    })
})

it('a file that five attempts broke off at is given up', async () => {
  const file = chunksOf(csvOf([]))
  const order = { ...party('WALLETA_SN'), name: 'kept.csv', file, actor: 'test' }
  const kept = await gateway.recon.keep(order)
  assert.ok('file' in kept)
  const { id } = kept.file
  await db`update statement_files set attempt = 5 where id = ${id}`
  await gateway.recon.importKept(id, 'test')
  const state = await eventually('it has ended', async () => {
    const found = (await gateway.recon.file(id))?.state
    return found !== 'ready' && found !== 'waiting' && found
  })
  assert.equal(state, 'failed')
})

it('the money agrees in the end', async () => {
  await closeAuditChain(db)
  await assertMoney({ db })
})
