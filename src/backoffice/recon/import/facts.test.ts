import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { after, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { call, collected, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { mortalDb } from '#test/mortal-db.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { openRecon } from '../open.ts'
import type { Party, Statement } from './statement.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, transactions, approvals } = gateway
const hourMs = 3_600_000
const clock = { now: () => after(systemClock.now(), hourMs) }
const { pseudonymOf } = transactions.context
const log = openLog('silent')
const reconOf = (own: typeof db) =>
  openRecon({ db: own, clock, log, transactions, approvals, pseudonymOf })
const recon = reconOf(db)
let numbers = 779_300_000

const parties = {
  killed: ['WALLETE', 'ML'],
  named: ['WALLETB', 'SN'],
  fees: ['WALLETG', 'CI'],
  pending: ['WALLETA', 'CI'],
  tries: ['WALLETC', 'SN'],
  reversed: ['WALLETE', 'CI'],
  two: ['WALLETA', 'SN'],
} as const
const partyOf = (name: keyof typeof parties): Party => {
  const [provider, country] = parties[name]
  return { provider, country }
}
const codeOf = (name: keyof typeof parties) => `${parties[name].join('_')}_CASHOUT`

const importTo = (name: keyof typeof parties, lines: MadeLine[], by = recon, range = {}) => {
  const order = { ...partyOf(name), name: 'x.csv', actor: 'test', ...range }
  return by.import({ ...order, file: chunksOf(csvOf(lines)) })
}

const paid = (name: keyof typeof parties) => collected(gateway, { serviceCode: codeOf(name) })

async function started(name: keyof typeof parties, steps: object[] = []): Promise<string> {
  numbers += 1
  await script(gateway, String(numbers), steps)
  const order = initBody({ serviceCode: codeOf(name), number: String(numbers) })
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
  return String(body.transaction.transactionId)
}

const own = (change: Partial<MadeLine>): MadeLine => ({
  moment: '2026-01-15T10:00:00Z',
  reference: 'monthly',
  our_reference: '',
  kind: 'fee',
  number: '',
  amount: 300,
  fee: 0,
  status: 'succeeded',
  ...change,
})

async function bookedOf(name: keyof typeof parties): Promise<[fees: number, transfers: number]> {
  const { provider, country } = partyOf(name)
  const [row] = await db<{ fees: number; transfers: number }>`
    select coalesce(sum(e.amount) filter (where p.kind = 'provider_fee'), 0)::bigint as fees,
      coalesce(-sum(e.amount) filter (where p.kind = 'transfer'), 0)::bigint as transfers
    from ledger_postings p
    join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
    where p.client_id = 0 and e.account = ${`provider:${provider}:${country}`}`
  return [row?.fees ?? 0, row?.transfers ?? 0]
}

const kindsOf = async ({ id: statementId }: Pick<Statement, 'id'>) =>
  (await recon.cases({ statementId }, { limit: 50 })).map(
    ({ kind, state, amount }) => `${kind} ${state} ${amount}`,
  )

it('an import that died is gone on with before another file with its lines', async () => {
  const line = await lineOf(db, await paid('killed'), { fee: 7 })
  const lines = [line, own({}), own({ reference: 'bank', kind: 'transfer', amount: -2000 })]
  // After each of its commits in turn, and each time another file comes.
  for (let commit = 1; ; commit += 1) {
    const extra = own({ reference: `of-${commit}`, amount: 1 })
    const dies = mortalDb(db)
    dies.meets('lost', commit)
    const died = await importTo('killed', [...lines, extra], reconOf(dies.db)).then(
      () => false,
      () => true,
    )
    const done = await importTo('killed', [...lines, own({ reference: 'other', amount: 10 })])
    assert.deepEqual([done.cases, await recon.resume()], [0, 0])
    if (!died) break
  }
  const [row] = await db<{ fees: number }>`
    select coalesce(sum(fees), 0)::bigint as fees from statements
    where (provider, country) = ('WALLETE', 'ML')`
  const [fees, transfers] = await bookedOf('killed')
  assert.deepEqual([row?.fees, transfers], [fees, -2000])
  const extras = await db`
    select distinct reference from statement_lines
    where reference like 'of-%' and statement_id in (
      select id from statements where (provider, country) = ('WALLETE', 'ML'))`
  assert.equal(fees, 7 + 300 + 10 + extras.length)
  await assertMoney({ db })
})

it('a line that names an open payment ends it, though its reference was used before', async () => {
  const [known, open] = [await paid('named'), await started('named')]
  const reference = 'used-twice'
  await importTo('named', [await lineOf(db, known, { reference })])
  const done = await importTo('named', [await lineOf(db, open, { reference })])
  assert.deepEqual([done.known, done.matched, done.ended], [0, 1, 1])
  assert.equal(await until(gateway, open, isEnd), 'SUCCESS')
})

it('fees and transfers are booked once for each fact, a correction by what differs', async () => {
  const line = await lineOf(db, await paid('fees'), { fee: 50 })
  const transfer = own({ reference: 'bank', kind: 'transfer', amount: -2000 })
  const steps: [MadeLine[], number, number][] = [
    [[{ ...line, status: 'pending' }], 0, 0],
    [[line, own({})], 350, 0],
    [[line, own({}), transfer], 350, -2000],
    [[{ ...line, fee: 60 }, own({ amount: 310 }), { ...transfer, amount: -1500 }], 370, -1500],
    [[{ ...line, fee: 60, status: 'reversed' }], 370, -1500],
    [[{ ...line, reference: 'failed', our_reference: 'x', status: 'failed' }], 370, -1500],
  ]
  for (const [lines, fees, transfers] of steps) {
    await importTo('fees', lines)
    assert.deepEqual(await bookedOf('fees'), [fees, transfers])
    await assertMoney({ db })
  }
})

it('what lines of 0.1.0 have booked is told by the migration that adds it', async () => {
  const { provider, country } = partyOf('fees')
  const booked = () => db<object>`
    select s.id, line, fees_booked, transfers_booked from statement_lines l
    join statements s on s.id = l.statement_id
    where (s.provider, s.country) = (${provider}, ${country}) and s.state = 'read'
      -- 0.1.0 had no corrections, and booked nothing of what it knew.
      and l.bucket <> 'known'
    order by s.id, line`
  const line = await lineOf(db, await paid('fees'), { fee: 5, reference: 'of-0.1.0' })
  const done = await importTo('fees', [line, own({ reference: 'of-0.1.0', kind: 'transfer' })])
  const before = await booked()
  await db`
    update statement_lines set fees_booked = 0, transfers_booked = 0
    where statement_id = ${done.id}`
  const file = new URL('../../../../migrations/0004_withdrawn_statements.sql', import.meta.url)
  const [backfill = ''] = (await readFile(file, 'utf8')).split(';')
  await db(Object.assign([backfill], { raw: [backfill] }))
  assert.deepEqual(await booked(), before)
  await importTo('fees', [{ ...line, fee: 6 }])
  await assertMoney({ db })
})

it('a pending line hides no success that stays missing', async () => {
  const id = await started('pending')
  const line = await lineOf(db, id, { status: 'pending' })
  assert.equal((await importTo('pending', [line])).cases, 0)
  const resolution = { clientId: gateway.clientId, id, reason: 'seen', actor: 'test' }
  await transactions.resolve({ ...resolution, as: 'success' })
  const other = await lineOf(db, await paid('pending'))
  const now = systemClock.now()
  const range = { from: after(now, -hourMs), to: after(now, hourMs / 2) }
  const done = await importTo('pending', [other], recon, range)
  const cases = await recon.cases({ statementId: done.id, kind: 'ours_only' }, { limit: 5 })
  assert.deepEqual(
    cases.map(({ transactionId }) => transactionId),
    [id],
  )
})

it('a failed and a paid line of one attempt end it with SUCCESS, in either order', async () => {
  for (const isFailedFirst of [true, false]) {
    const id = await started('tries')
    const line = await lineOf(db, id)
    const failed = { ...line, reference: `${line.reference}-failed`, status: 'failed' }
    const done = await importTo('tries', isFailedFirst ? [failed, line] : [line, failed])
    assert.deepEqual([done.matched, done.ended, done.cases], [2, 1, 0])
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  }
})

it('a reversed line of a booked success differs by all of it', async () => {
  const line = await lineOf(db, await paid('reversed'))
  await importTo('reversed', [line])
  const done = await importTo('reversed', [{ ...line, status: 'reversed' }])
  assert.deepEqual(await kindsOf(done), ['status open -5000'])
})

it('a corrected file closes what it corrects, and opens nothing', async () => {
  const line = await lineOf(db, await paid('reversed'))
  const stranger = { ...line, reference: 'stranger', our_reference: '' }
  const wrong = await importTo('reversed', [{ ...line, amount: 10_000 }, stranger])
  assert.deepEqual((await kindsOf(wrong)).toSorted(), ['amount open 5000', 'theirs_only open 5000'])
  const done = await importTo('reversed', [line, { ...stranger, amount: 4000 }])
  assert.deepEqual(await kindsOf(wrong), ['amount closed 5000'])
  // It goes with what it is about.
  assert.deepEqual(await kindsOf(done), ['theirs_only open 4000'])
  const [{ closing } = {}] = await recon.cases({ statementId: wrong.id }, { limit: 1 })
  assert.equal(closing, 'explained')
})

it('a corrected file closes amounts, results and fees, and opens no inverse ones', async () => {
  const party = partyOf('reversed')
  const fees = { collect: { basisPoints: 100, fixed: 0 } }
  await recon.saveMapping({ ...party, content: null, fees, actor: 'test' })
  const lines = await Promise.all(
    [0, 1, 2].map(async () => lineOf(db, await paid('reversed'), { fee: 50 })),
  )
  const changes = [{ amount: 10_000, fee: 100 }, { status: 'failed', fee: 0 }, { fee: 0 }]
  const wrong = lines.map((line, index) => ({ ...line, ...changes[index] }))
  const cases = ['amount', 'fee', 'status']
  const kinds = async (state: 'open' | 'closed', id: string) =>
    (await recon.cases({ statementId: id, state }, { limit: 9 })).map(({ kind }) => kind).toSorted()
  const { id } = await importTo('reversed', wrong)
  assert.deepEqual(await kinds('open', id), cases)
  const right = await importTo('reversed', lines)
  assert.deepEqual([await kinds('open', id), await kinds('closed', id)], [[], cases])
  assert.deepEqual([right.cases, await kinds('open', right.id)], [0, []])
  await recon.saveMapping({ ...party, content: null, fees: null, actor: 'test' })
})

it('of two late payments the one of the case is sent back', async () => {
  const id = await started('two', [{ do: 'decline' }, { do: 'callback' }])
  await until(gateway, id, isEnd)
  const line = await lineOf(db, id)
  const done = await importTo('two', [
    { ...line, reference: 'late-1' },
    { ...line, reference: 'late-2' },
  ])
  const cases = await recon.cases({ statementId: done.id }, { limit: 5 })
  assert.equal(cases.length, 2)
  // Whichever of them has its turn.
  for (const one of cases) {
    const preview = await recon.previewMend(one, { how: 'send_back', reason: 'late' })
    assert.equal(preview?.seen.reference, one.details.theirs?.reference)
  }
})

it('the money agrees in the end', () => assertMoney({ db }))
