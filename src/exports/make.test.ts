import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { addPerson } from '../../test/dashboard.ts'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/wait.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../db/db.ts'
import { claimDue } from '../db/due.ts'
import type { Clock } from '../kit/clock.ts'
import { systemClock } from '../kit/clock.ts'
import { openLog } from '../log/log.ts'
import { actions, may, roles } from '../people/rights.ts'
import { findPersonByEmail } from '../people/store.ts'
import { FileTooLarge } from '../tables/output.ts'
import type { ExportContext } from './context.ts'
import type { Export, ExportId, MakeFile } from './export.ts'
import { startExportSweeper, workOn } from './make.ts'
import { openExports } from './open.ts'
import { beginAttempt } from './store.ts'

const { EXPORT_CHILD_DATABASE: childUrl } = process.env
const dayMs = 86_400_000
const leaseMs = 60_000

function contextOf(db: Db, make: MakeFile, clock: Clock = systemClock): ExportContext {
  const makers = { transactions: make, statement: make }
  const publicUrl = () => 'https://pay.example'
  return { db, clock, log: openLog('silent'), makers, publicUrl, hasSmtp: false }
}

const letters = ['a', 'b', 'c', 'd']
const block = (letter: string) => Buffer.alloc(300_000, letter)

/** A file of four blocks, so that it takes more than one chunk. */
const make: MakeFile = async function* (_, report) {
  for (const [index, letter] of letters.entries()) {
    yield block(letter)
    await report({ rows: 10 * (index + 1), share: 250 * (index + 1), reachedAt: null })
  }
}
const whole = Buffer.concat(letters.map(block))

/** Begins as `make` does, and goes on only when it is told. */
function makeUntil(told: Promise<unknown>): MakeFile {
  return async function* (_, report) {
    yield block('x')
    yield block('y')
    await told
    await report({ rows: 1, share: 1, reachedAt: null })
    yield block('z')
  }
}

// The child process that gets killed runs this file too.
if (childUrl === undefined) describe('exports', test)
else {
  const db = openDb({ url: childUrl, role: 'passerelle_app' })
  startExportSweeper(contextOf(db, makeUntil(new Promise(() => {}))))
  setInterval(() => {}, 1000)
}

async function test(): Promise<void> {
  const { url, db } = await testDatabase()
  const email = await addPerson({ db })
  const personId = (await findPersonByEmail(db, email))?.id ?? ''
  const order = {
    personId,
    askedBy: email,
    role: 'owner',
    kind: 'transactions',
    form: 'csv',
    query: 'status=SUCCESS',
    language: 'en',
    timeZone: 'UTC',
  } as const
  const clientId = await newClient(db, systemClock)
  const newExport = (): Promise<ExportId> =>
    openExports(contextOf(db, make)).ask({ ...order, clientId })

  /** Does what a sweeper does with what is due. */
  async function runDue(context: ExportContext, signal = new AbortController().signal) {
    const claim = { table: 'exports', now: context.clock.now(), leaseMs, limit: 10 }
    const due = await claimDue(db, claim)
    for (const one of due) await workOn(context, one, signal)
    return due.length
  }
  const at = (moment: Date) => testClock(moment.toISOString())
  const get = async (id: ExportId) => (await openExports(contextOf(db, make)).find(id)) as Export
  const fileOf = async (id: ExportId) => {
    const blocks: Buffer[] = []
    for await (const one of openExports(contextOf(db, make)).read(await get(id))) blocks.push(one)
    return Buffer.concat(blocks)
  }
  const chunksOf = ({ id }: ExportId) =>
    db<{ attempt: number; bytes: number }>`
      select attempt, length(content) as bytes from export_chunks where export_id = ${id}
      order by attempt, number`
  const mailsOf = ({ id }: ExportId) =>
    db<{ recipient: string; textBody: string }>`
      select recipient, text_body as "textBody" from mails where record_id = ${id}`

  it('is made in chunks, told of by a mail, and removed after three days', async () => {
    const id = await newExport()
    const clock = at(new Date(Date.now() + 1000))
    await runDue(contextOf(db, make, clock))
    const { state, rows, share, bytes, attempt } = await get(id)
    assert.deepEqual([state, rows, share, bytes, attempt], ['ready', 40, 1000, 1_200_000, 1])
    assert.ok(whole.equals(await fileOf(id)))
    assert.deepEqual(
      (await chunksOf(id)).map((one) => one.bytes),
      [600_000, 600_000],
    )
    const [mail, second] = await mailsOf(id)
    assert.equal(second, undefined)
    assert.equal(mail?.recipient, email)
    assert.match(mail?.textBody ?? '', new RegExp(`https://pay.example/dashboard/exports/${id.id}`))
    assert.equal(await runDue(contextOf(db, make, clock)), 0)
    clock.advance(3 * dayMs + 1)
    assert.equal(await openExports(contextOf(db, make, clock)).find(id), undefined)
    await runDue(contextOf(db, make, clock))
    assert.deepEqual(await chunksOf(id), [])
    assert.deepEqual(await db`select from exports where id = ${id.id}`, [])
  })

  it('whose maker is killed is begun again after the end of its lease', async () => {
    const id = await newExport()
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
      env: { ...environment, EXPORT_CHILD_DATABASE: url },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(child, 'exit')
    await eventually('a chunk is written', async () => (await chunksOf(id)).length === 1)
    child.kill('SIGKILL')
    await ended
    const [row] = await db<{ dueAt: Date }>`
      select due_at as "dueAt" from exports where id = ${id.id}`
    assert.ok(row !== undefined)
    const clock = at(new Date(row.dueAt.getTime() - 1))
    assert.equal(await runDue(contextOf(db, make, clock)), 0)
    assert.equal((await get(id)).state, 'running')
    clock.advance(1)
    await runDue(contextOf(db, make, clock))
    assert.deepEqual([(await get(id)).state, (await get(id)).attempt], ['ready', 2])
    assert.ok(whole.equals(await fileOf(id)))
    assert.deepEqual(new Set((await chunksOf(id)).map(({ attempt }) => attempt)), new Set([2]))
    assert.equal((await mailsOf(id)).length, 1)
  })

  it('is written by one process only, also when one comes back that was thought dead', async () => {
    const id = await newExport()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const clock = at(new Date(Date.now() + 1000))
    const slow = runDue(contextOf(db, makeUntil(first.promise), clock))
    await eventually('it has begun', async () => (await chunksOf(id)).length === 1)
    clock.advance(leaseMs)
    const slowly: MakeFile = async function* (one, report) {
      yield* make(one, report)
      await second.promise
    }
    const next = runDue(contextOf(db, slowly, clock))
    const attempts = async () => new Set((await chunksOf(id)).map(({ attempt }) => attempt))
    await eventually('another has begun', async () => (await attempts()).has(2))
    first.resolve()
    await slow
    assert.notEqual((await get(id)).rows, 1, 'it tells of nothing either')
    second.resolve()
    await next
    assert.ok(whole.equals(await fileOf(id)))
    assert.deepEqual(await attempts(), new Set([2]))
    assert.equal((await get(id)).rows, 40)
    assert.equal((await mailsOf(id)).length, 1)
  })

  it('that is cancelled is not written any more, and leaves nothing', async () => {
    const id = await newExport()
    const told = Promise.withResolvers<void>()
    const clock = at(new Date(Date.now() + 1000))
    const context = contextOf(db, makeUntil(told.promise), clock)
    const exports = openExports(context)
    const made = runDue(context)
    await eventually('it has begun', async () => (await chunksOf(id)).length === 1)
    assert.equal(await exports.remove(id), false)
    assert.equal(await exports.cancel(id), true)
    assert.equal(await exports.cancel(id), false)
    told.resolve()
    await made
    assert.equal((await get(id)).state, 'cancelled')
    await runDue(context)
    assert.deepEqual(await chunksOf(id), [])
    assert.deepEqual(await mailsOf(id), [])
    assert.equal(await exports.remove(id), true)
    assert.equal(await exports.find(id), undefined)
  })

  it('whose file was removed while it is downloaded is an error, not a shorter file', async () => {
    const id = await newExport()
    await runDue(contextOf(db, make, at(new Date(Date.now() + 1000))))
    const exports = openExports(contextOf(db, make))
    const found = await get(id)
    await db`delete from export_chunks where export_id = ${id.id} and number = 2`
    await assert.rejects(async () => {
      for await (const _ of exports.read(found));
    }, /ends early/)
  })

  it('is given back by a process that stops', async () => {
    const id = await newExport()
    const told = Promise.withResolvers<void>()
    const stopping = new AbortController()
    const clock = at(new Date(Date.now() + 1000))
    const made = runDue(contextOf(db, makeUntil(told.promise), clock), stopping.signal)
    await eventually('it has begun', async () => (await chunksOf(id)).length === 1)
    stopping.abort()
    told.resolve()
    await made
    assert.equal((await get(id)).state, 'running')
    assert.ok((await runDue(contextOf(db, make, clock))) > 0, 'it is due at once')
    assert.ok(whole.equals(await fileOf(id)))
  })

  it('fails with the reason: too large at once, another error after five attempts', async () => {
    const [large, broken] = [await newExport(), await newExport()]
    const clock = at(new Date(Date.now() + 1000))
    const fail: MakeFile = async function* (one) {
      yield block('x')
      throw one.id === large.id ? new FileTooLarge('rows') : new Error('broken')
    }
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await runDue(contextOf(db, fail, clock))
      const { state, problem } = await get(large)
      assert.deepEqual([state, problem], ['failed', 'rows'])
      assert.equal((await get(broken)).state, attempt < 5 ? 'running' : 'failed')
      clock.advance(leaseMs)
    }
    assert.equal((await get(broken)).problem, 'error')
    assert.deepEqual(await mailsOf(large), [])
  })

  it('is given up after five attempts that nobody heard of again', async () => {
    const id = await newExport()
    for (let attempt = 1; attempt <= 5; attempt += 1)
      assert.equal((await beginAttempt(db, id))?.attempt, attempt)
    const begun: string[] = []
    const note: MakeFile = (one, report) => {
      begun.push(one.id)
      return make(one, report)
    }
    await runDue(contextOf(db, note, at(new Date(Date.now() + 1000))))
    const { state, problem } = await get(id)
    assert.deepEqual([state, problem, begun.includes(id.id)], ['failed', 'error', false])
    assert.deepEqual(await mailsOf(id), [])
  })

  it('is one of three under way at most, and of ten that are kept', async () => {
    const own = await newClient(db, systemClock)
    const clock = testClock()
    const context = contextOf(db, make, clock)
    const exports = openExports(context)
    const ask = () => exports.ask({ ...order, clientId: own })
    const asked = await Promise.allSettled([ask(), ask(), ask(), ask(), ask()])
    assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 3)
    for (let count = 0; count < 12; count += 1) {
      await runDue(context)
      clock.advance(1)
      await ask()
    }
    await runDue(context)
    await runDue(context)
    assert.equal((await exports.list(own)).length, 10)
    assert.equal((await exports.list(own)).filter(({ state }) => state === 'ready').length, 10)
    assert.deepEqual(await exports.list(clientId + 1000), [])
  })

  it('shows numbers to nobody who may not see them: whoever may export may read them', () => {
    assert.ok(actions.includes('number.read'))
    for (const role of roles)
      assert.ok(!may(role, 'transaction.export') || may(role, 'number.read'), role)
  })
}
