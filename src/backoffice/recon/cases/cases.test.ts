import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after, systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { closeAuditChain } from '#data/db/audit-chain.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { writePdf } from '#formats/tables/write-pdf.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { addPerson } from '#test/dashboard.ts'
import { call, initBody, isEnd, liveGateway, post, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { sumLedgers } from '../balance/balance.ts'
import { openRecon } from '../open.ts'
import type { Case, Mending } from './case.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '4000' } })
const { db, transactions, approvals, clientId } = gateway
const { pseudonymOf } = transactions.context
const log = openLog('silent')
const recon = openRecon({ db, clock, log, transactions, approvals, pseudonymOf })
const party = { provider: 'WALLETA', country: 'SN' }
const awa = { person: 'awa@ops.example', actor: 'awa@ops.example' }
const binta = 'binta@ops.example'
await addPerson(gateway, { email: binta, operatorRole: 'operator' })
let numbers = 779_600_000

async function started(steps: object[], amount: number, change: object = {}): Promise<string> {
  numbers += 1
  await script(gateway, String(numbers), steps)
  const order = initBody({ number: String(numbers), amount, ...change })
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
  return String(body.transaction.transactionId)
}

/** A case of a late payment, of an open order whose line does not name us, or of a stranger. */
async function caseOf(what: 'late' | 'open' | 'stranger', amount: number): Promise<Case> {
  const decline = [{ do: 'decline' }, { do: 'callback' }]
  const id = await started(what === 'late' ? decline : [], amount)
  if (what === 'late') await until(gateway, id, isEnd)
  const reference = `ref-${numbers}`
  const changes = {
    late: { reference },
    open: { our_reference: '', status: 'failed' },
    stranger: { our_reference: '', reference },
  }
  const line = await lineOf(db, id, changes[what])
  const order = { ...party, name: `${what}.csv`, actor: 'test' }
  const { id: statementId } = await recon.import({ ...order, file: chunksOf(csvOf([line])) })
  const [found] = await recon.cases({ statementId }, { limit: 5 })
  assert.ok(found !== undefined, what)
  return found
}

async function bytesOf(blocks: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const block of blocks) all.push(block)
  return all
}

describe('a success of a moment ago that no line tells of', () => {
  const agreed = [{ do: 'succeed' }, { do: 'callback' }]

  async function paid(serviceCode: string): Promise<string> {
    const id = await started(agreed, 700, { serviceCode })
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    return id
  }

  /** What an import of a file misses. */
  async function missingIn(serviceCode: string, lines: MadeLine[], range: object) {
    const [provider = '', country = ''] = serviceCode.split('_')
    const order = { provider, country, name: 'now.csv', actor: 'test', ...range }
    const { id: statementId } = await recon.import({ ...order, file: chunksOf(csvOf(lines)) })
    const cases = await recon.cases({ statementId, kind: 'ours_only' }, { limit: 5 })
    return cases.map(({ transactionId }) => String(transactionId)).toSorted()
  }

  it('is found between lines, and around them where the time of the file is told', async () => {
    const serviceCode = 'WALLETB_ML_CASHOUT'
    const from = clock.now()
    const before = await paid(serviceCode)
    const late = await started([{ do: 'delay', ms: 600_000 }, ...agreed], 700, { serviceCode })
    const number = String(numbers)
    const lines = [await lineOf(db, await paid(serviceCode))]
    await post(`${gateway.lab.url}/lab/continue`, { number })
    assert.equal(await until(gateway, late, isEnd), 'SUCCESS')
    const between = await paid(serviceCode)
    lines.push(await lineOf(db, await paid(serviceCode)))
    const behind = await paid(serviceCode)
    assert.deepEqual(await missingIn(serviceCode, lines, {}), [late, between].toSorted())
    lines.push(await lineOf(db, between))
    const range = { from, to: after(clock.now(), 3_600_000) }
    assert.deepEqual(await missingIn(serviceCode, lines, range), [before, behind].toSorted())
  })

  it('is not missed yet where lines of the file are as far ahead of our times', async () => {
    const serviceCode = 'WALLETF_CI_CASHOUT'
    const from = after(clock.now(), -3_600_000)
    const line = await lineOf(db, await paid(serviceCode))
    await paid(serviceCode)
    const moment = after(new Date(line.moment), 120_000).toISOString()
    assert.deepEqual(await missingIn(serviceCode, [{ ...line, moment }], { from }), [])
  })
})

describe('a difference', () => {
  it('has a person, notes, and is ignored for a reason', async () => {
    const { id } = await caseOf('stranger', 700)
    await recon.assign(id, 'Binta@ops.example', 'test')
    await recon.note(id, 'asked the provider', binta)
    await assert.rejects(recon.note(id, ' ', binta), /A note has 1 to 2000 characters/)
    await assert.rejects(recon.mend(id, { how: 'ignore', reason: ' ' }, awa), /A reason is needed/)
    await assert.rejects(
      recon.mend(id, { how: 'send_back', reason: 'x' }, awa),
      /No transaction of ours belongs to this difference/,
    )
    await recon.mend(id, { how: 'ignore', reason: 'of another gateway' }, awa)
    const { case: one, notes, line } = await recon.case(id)
    assert.deepEqual(
      [one.state, one.closing, one.closedBy, one.reason, one.person],
      ['closed', 'ignored', awa.person, 'of another gateway', binta],
    )
    assert.deepEqual(
      [notes.map(({ text }) => text), line?.bucket],
      [['asked the provider'], 'theirs_only'],
    )
    await assert.rejects(recon.mend(id, { how: 'ignore', reason: 'x' }, awa), /is closed/)
  })

  it('ends its transaction, or sends money back, at once up to the amount', async () => {
    const open = await caseOf('open', 800)
    const asFailed: Mending = { how: 'resolve', as: 'failed', reason: 'on line 2' }
    assert.equal((await recon.mend(open.id, asFailed, awa)).case.closing, 'resolved')
    const late = await caseOf('late', 900)
    const back = await recon.mend(late.id, { how: 'send_back', reason: 'payer wrote' }, awa)
    assert.equal(back.case.closing, 'sent_back')
    const done = back.requested?.kind === 'done' ? back.requested.done : undefined
    assert.ok(done !== undefined && 'transaction' in done)
    // The lab knows nothing of the payment, so it declines its refund: the merchant has the money.
    assert.equal(await until(gateway, done.transaction.id, isEnd), 'FAILED')
  })

  it('waits for a second person above it, and opens again when that person refuses', async () => {
    const { id } = await caseOf('stranger', 5000)
    const adjust: Mending = { how: 'adjust', clientId, amount: 5000, isGiven: true, reason: 'x' }
    const propose = async () => {
      const { requested, case: one } = await recon.mend(id, adjust, awa)
      assert.equal(one.state, 'waiting')
      return requested?.kind === 'proposed' ? requested.approval.id : ''
    }
    await approvals.refuse({ id: await propose(), person: binta, reason: 'no' })
    assert.equal((await recon.case(id)).case.state, 'open')
    await approvals.approve({ id: await propose(), person: binta })
    const { state, closing, closedBy } = (await recon.case(id)).case
    assert.deepEqual([state, closing, closedBy], ['closed', 'adjusted', binta])
  })
})

it('a mending that dies before its case is closed has moved nothing', async () => {
  const { id } = await caseOf('stranger', 400)
  const owner = gateway.connect({ asOwner: true })
  await owner`
    create function die_in_mending() returns trigger language plpgsql security definer as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`
  await owner`
    create trigger die before update on recon_cases for each row execute function die_in_mending()`
  const adjust: Mending = { how: 'adjust', clientId, amount: 400, isGiven: true, reason: 'x' }
  try {
    await assert.rejects(recon.mend(id, adjust, awa))
  } finally {
    await owner`drop trigger die on recon_cases`
  }
  assert.equal((await recon.case(id)).case.state, 'open')
  const mended = await recon.mend(id, adjust, awa)
  assert.deepEqual([mended.case.state, mended.case.closing], ['closed', 'adjusted'])
  const postings = await db`select from ledger_postings where ref like ${`difference ${id}%`}`
  assert.equal(postings.length, 1)
})

it('the report is written as CSV, XLSX and PDF, and ages count what is open', async () => {
  await caseOf('stranger', 600)
  const table = (form: 'csv' | 'xlsx' | 'pdf') => recon.report({ isUnclosed: true }, 'fr', form)
  const [csv, xlsx, pdf] = await Promise.all([
    bytesOf(writeCsv(await table('csv'))),
    bytesOf(writeXlsx(await table('xlsx'))),
    bytesOf(writePdf(await table('pdf'))),
  ])
  assert.match(String(Buffer.concat(csv)), /Chez eux seulement/)
  assert.match(String(Buffer.concat(xlsx)).slice(0, 2), /PK/)
  assert.match(String(Buffer.concat(pdf)).slice(0, 5), /%PDF-/)
  const ages = await recon.ages(party)
  assert.deepEqual(ages, [{ age: 'day', kind: 'theirs_only', count: 1, amount: 600 }])
})

/** The versions of all rows of the room: another one of each row that was written meanwhile. */
const versions = () => db<{ versions: string }>`
  select (select string_agg(xmin::text, ' ' order by id) from statements)
    || (select string_agg(xmin::text, ' ' order by statement_id, line) from statement_lines)
    || (select string_agg(xmin::text, ' ' order by id) from recon_cases) as versions`

it('reading writes nothing, and balances are the same once the ledger is summed', async () => {
  const [newest = assert.fail()] = await recon.list({ limit: 1 })
  const before = await versions()
  const balance = await recon.balance(newest)
  await recon.cases({}, { limit: 100 })
  await recon.lines(newest.id, { limit: 100 })
  await recon.marks([newest.id])
  assert.deepEqual(await versions(), before)
  await sumLedgers({ db, clock: { now: () => after(clock.now(), 3_600_000) } })
  assert.notDeepEqual(await versions(), before)
  assert.deepEqual(await recon.balance(newest), balance)
})

it('the money agrees in the end', async () => {
  await closeAuditChain(db)
  await assertMoney({ db })
})
