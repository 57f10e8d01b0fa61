import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { openRecon } from '../open.ts'
import { periodOf, periodsOf } from './find-ours.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, transactions, approvals } = gateway
const { pseudonymOf } = transactions.context
const dayMs = 86_400_000
const log = openLog('silent')
const tomorrow = { now: () => after(systemClock.now(), dayMs) }
const recon = openRecon({ db, clock: tomorrow, log, transactions, approvals, pseudonymOf })

const words = (all: string[]) => Object.fromEntries(all.map((one) => [one, one]))

/** The words of the lab with days only, of a zone where it is noon now. */
function daysOnly() {
  const ahead = 12 - systemClock.now().getUTCHours()
  const timeZone = `Etc/GMT${ahead > 0 ? `-${ahead}` : `+${-ahead}`}`
  const columns = { at: 'moment', reference: 'reference', ourReference: 'our_reference' }
  const more = { kind: 'kind', phone: 'number', amount: 'amount', fees: ['fee'], status: 'status' }
  const day = after(systemClock.now(), ahead * 3_600_000)
    .toISOString()
    .slice(0, 10)
  const content = {
    version: 1,
    columns: { ...columns, ...more },
    dates: ['yyyy-MM-dd'],
    timeZone,
    kinds: words(['collect', 'disburse']),
    statuses: words(['succeeded', 'failed']),
    mayBeEmpty: ['ourReference'],
  }
  return { content, day }
}

describe('a file with days only', () => {
  const party = { provider: 'WALLETB', country: 'SN' }
  const { content, day } = daysOnly()
  const importLines = (lines: MadeLine[]) =>
    recon.import({ ...party, name: 'days.csv', file: chunksOf(csvOf(lines)), actor: 'test' })

  it('is of the whole day: successes are found by the reference, or missing', async () => {
    await recon.saveMapping({ ...party, content, actor: 'test' })
    const code = { serviceCode: 'WALLETB_SN_CASHOUT' }
    const [told, missing] = [await collected(gateway, code), await collected(gateway, code)]
    const line = await lineOf(db, told, { moment: day, our_reference: '' })
    const done = await importLines([line])
    assert.deepEqual([done.matched, done.oursOnly, done.cases], [1, 1, 1])
    assert.equal(Number(done.toAt) - Number(done.fromAt), dayMs)
    const [one] = await recon.cases({ statementId: done.id }, { limit: 2 })
    assert.deepEqual([one?.kind, one?.transactionId], ['ours_only', missing])
    await assertMoney({ db })
  })

  it('of the day that runs misses nothing; the next one finds what it lacks', async () => {
    const own = { provider: 'WALLETB', country: 'CI' }
    const code = { serviceCode: 'WALLETB_CI_CASHOUT' }
    const reconAt = (days: number) => {
      const clock = { now: () => after(systemClock.now(), days * dayMs) }
      return openRecon({ db, clock, log, transactions, approvals, pseudonymOf })
    }
    await recon.saveMapping({ ...own, content, actor: 'test' })
    const [told, missing] = [await collected(gateway, code), await collected(gateway, code)]
    const line = await lineOf(db, told, { moment: day, our_reference: '' })
    const importOn = (days: number, lines: MadeLine[]) =>
      reconAt(days).import({
        ...own,
        name: 'days.csv',
        file: chunksOf(csvOf(lines)),
        actor: 'test',
      })
    assert.equal((await importOn(0, [line])).oursOnly, 0)
    const moment = after(new Date(day), dayMs).toISOString().slice(0, 10)
    const next = await importOn(2, [{ ...line, moment, reference: 'of the next day' }])
    assert.equal(next.oursOnly, 1)
    const [one] = await recon.cases({ statementId: next.id, kind: 'ours_only' }, { limit: 2 })
    assert.equal(one?.transactionId, missing)
  })

  it('has its times and its reports in the zone of the country, days as days', async () => {
    const own = { provider: 'WALLETF', country: 'CM' }
    const { timeZone: _zone, ...words } = content
    await recon.saveMapping({ ...own, content: words, actor: 'test' })
    const line = { kind: 'collect', number: '', amount: 70, fee: 0, status: 'succeeded' }
    const stranger = { ...line, moment: '2026-01-16', reference: 'of-a-day', our_reference: '' }
    const file = chunksOf(csvOf([stranger]))
    const { id, fromAt } = await recon.import({ ...own, name: 'cm.csv', file, actor: 'test' })
    assert.equal(fromAt?.toISOString(), '2026-01-15T23:00:00.000Z')
    const [one] = await recon.cases({ statementId: id }, { limit: 2 })
    assert.equal(one?.details.theirs?.isDay, true)
    const blocks: Buffer[] = []
    for await (const block of writeCsv(await recon.report({ statementId: id }, 'en', 'csv')))
      blocks.push(block)
    const text = String(Buffer.concat(blocks))
    assert.match(text, /Opened \(Africa\/Douala\)/)
    assert.match(text, /of-a-day\W+2026-01-16\W/)
  })

  it('looks for references in the ids of each of its moments', () => {
    for (let at = Date.UTC(2026, 10, 1); at < Date.UTC(2026, 10, 12); at += dayMs)
      for (let moment = at; moment < at + dayMs; moment += 600_000)
        assert.ok(
          periodsOf({ at: new Date(at), isDay: true }).includes(periodOf(moment)),
          new Date(moment).toISOString(),
        )
  })
})
