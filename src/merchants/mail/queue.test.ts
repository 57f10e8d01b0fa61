import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { after } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { headersOf, openMailServer } from '#test/mail-server.ts'
import { queueMail, resendMail, startMailSweeper } from './queue.ts'
import { openSmtp } from './smtp.ts'
import type { MailState, MailTrigger } from './states.ts'
import { countUnsentMails, findMail, type MailRow, readMails, updateMail } from './store.ts'

const minuteMs = 60_000
const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const clock = testClock()
const clientId = await newClient(db, clock)
const { mailFrom } = readConfig({ MAIL_FROM: 'no-reply@pay.test' })
const timeoutsMs = { connect: 1000, idle: 1000, total: 1500 }
const unreachable = 'smtp://127.0.0.1:1'
const hello = {
  clientId,
  kind: 'hello',
  recordId: 'record',
  to: 'awa@shop.test',
  language: 'fr' as const,
  subject: 'Bonjour',
  text: 'Bonjour Awa',
  html: '<p>Bonjour Awa</p>',
}

type Change = Partial<typeof hello>
const queue = (change: Change = {}, hasSmtp = true) =>
  db.transaction((tx) => queueMail(tx, { ...hello, ...change }, clock.now(), hasSmtp))

/** One claim of due mails, five at most. */
async function sweep(smtpUrl: string, random = (): number => 0.5): Promise<void> {
  const smtp = openSmtp({ smtpUrl, mailFrom, mode: 'sandbox', timeoutsMs })
  await startMailSweeper({ db, clock, log: openLog('silent'), smtp, random }).stop()
}

async function find(id: string): Promise<MailRow> {
  const found = await findMail(db, id)
  assert.ok(found)
  return found
}

beforeEach(() => owner`truncate mails`)

describe('a mail', () => {
  it('is rolled back with the transaction that causes it', async () => {
    const undone = db.transaction(async (tx) => {
      await queueMail(tx, hello, clock.now(), true)
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    assert.deepEqual(await readMails(db, { state: null, before: null, limit: 10 }), [])
  })

  it('is not sent by a process that was stopped until its lease had ended', async () => {
    const server = await openMailServer()
    const id = await queue()
    // Stopped between the claim and the sending, and meanwhile another process sends it.
    let isStopped = false
    const stopped = Object.assign(async (...statement: Parameters<typeof db>) => {
      const rows = await db(...statement)
      if (rows.length > 0 && !isStopped && 'textBody' in (rows[0] ?? {})) {
        isStopped = true
        clock.advance(2 * minuteMs)
        await sweep(server.url)
      }
      return rows
    }, db)
    const smtp = openSmtp({ smtpUrl: server.url, mailFrom, mode: 'sandbox', timeoutsMs })
    const parts = { clock, log: openLog('silent'), smtp }
    await startMailSweeper({ ...parts, db: stopped }).stop()
    assert.deepEqual([isStopped, (await find(id)).state, server.got.length], [true, 'sent', 1])
  })

  it('is sent by the next sweep, once, and stays stored', async () => {
    const server = await openMailServer()
    const id = await queue()
    const { dueAt, state } = await find(id)
    assert.deepEqual([state, dueAt], ['pending', clock.now()])
    await sweep(server.url)
    await sweep(server.url)
    const { textBody, htmlBody, ...row } = await find(id)
    assert.deepEqual(row, {
      clientId,
      id,
      kind: 'hello',
      recordId: 'record',
      recipient: 'awa@shop.test',
      language: 'fr',
      subject: 'Bonjour',
      state: 'sent',
      tries: 1,
      dueAt: null,
      createdAt: clock.now(),
      sentAt: clock.now(),
      problem: null,
    })
    assert.deepEqual([textBody, htmlBody], [hello.text, hello.html])
    assert.deepEqual(
      server.got.map(({ to, mail }) => [to, mail.messageId, mail.text?.trim(), mail.html?.trim()]),
      [[['awa@shop.test'], `<${id}@pay.test>`, hello.text, hello.html]],
    )
  })

  it('is kept without a mail server, and not sent when there is one later', async () => {
    const server = await openMailServer()
    const id = await queue({}, false)
    await sweep(server.url)
    const { state, dueAt, tries } = await find(id)
    assert.deepEqual([state, dueAt, tries], ['kept', null, 0])
    assert.equal(server.got.length, 0)
  })

  for (const field of ['to', 'subject', 'text', 'html'] as const)
    it(`with a hostile ${field} is stored, and adds no header and no recipient`, async () => {
      const server = await openMailServer()
      const payload = 'x@y.test\r\nBcc: thief@evil.test\r\n\r\n\0\u2028\u202e\ud800<script>'
      const id = await queue({ [field]: payload })
      await sweep(server.url)
      const { state, recipient, subject, problem } = await find(id)
      assert.doesNotMatch(recipient + subject, /[\p{Cc}\p{Zl}\p{Bidi_Control}]/u)
      if (field === 'to') assert.deepEqual([state, problem], ['failed', 'not a mail address'])
      else assert.equal(state, 'sent')
      for (const posted of server.got) {
        assert.deepEqual(posted.to, ['awa@shop.test'])
        assert.deepEqual(
          headersOf(posted).filter((line) => /^(bcc|cc|<)/i.test(line)),
          [],
        )
      }
      assert.equal(server.got.length, field === 'to' ? 0 : 1)
    })
})

describe('retries', () => {
  it('a mail that a busy server defers is tried again a minute later', async () => {
    const server = await openMailServer({
      answer: (step, count) => (step === 'RCPT' && count === 1 ? 450 : undefined),
    })
    const id = await queue()
    await sweep(server.url)
    const { state, tries, dueAt, problem } = await find(id)
    assert.deepEqual([state, tries, dueAt], ['pending', 1, after(clock.now(), minuteMs)])
    assert.match(problem ?? '', /450/)
    clock.advance(minuteMs - 1)
    await sweep(server.url)
    assert.equal((await find(id)).tries, 1)
    clock.advance(1)
    await sweep(server.url)
    const row = await find(id)
    assert.deepEqual([row.state, row.tries, row.problem], ['sent', 2, null])
    assert.equal(server.got.length, 1)
  })

  it('a mail is tried seven times, at growing intervals', async () => {
    const id = await queue()
    const waits: (number | undefined)[] = []
    for (let row = await find(id); row.dueAt !== null; row = await find(id)) {
      clock.advance(row.dueAt.getTime() - clock.now().getTime())
      await sweep(unreachable)
      const { dueAt } = await find(id)
      waits.push(dueAt === null ? undefined : (dueAt.getTime() - clock.now().getTime()) / minuteMs)
    }
    assert.deepEqual(waits, [1, 5, 30, 120, 360, 1440, undefined])
    const { state, tries, problem } = await find(id)
    assert.deepEqual([state, tries], ['failed', 7])
    assert.match(problem ?? '', /ECONNREFUSED/)
  })

  const spread: [number, number][] = [
    [0, 48],
    [1, 72],
  ]
  for (const [chance, seconds] of spread)
    it(`the first retry is after ${seconds} s when random() is ${chance}`, async () => {
      const id = await queue()
      await sweep(unreachable, () => chance)
      assert.deepEqual((await find(id)).dueAt, after(clock.now(), seconds * 1000))
    })

  // name, the step, the reply of the server, the state after the first try, the problem
  const ends: [string, 'RCPT' | 'DATA', unknown, MailState, RegExp][] = [
    ['an unknown mailbox is final', 'RCPT', 550, 'failed', /550/],
    ['refused content is final', 'DATA', 554, 'failed', /554/],
    ['a full server is not final', 'DATA', 452, 'pending', /452/],
    ['a server that hangs is not final', 'DATA', new Promise(() => {}), 'pending', /Timeout/],
  ]
  for (const [name, at, code, state, problem] of ends)
    it(name, async () => {
      const server = await openMailServer({ answer: (step) => step === at && code })
      const id = await queue()
      await sweep(server.url)
      const row = await find(id)
      assert.deepEqual([row.state, row.tries], [state, 1])
      assert.equal(row.dueAt === null, state === 'failed')
      assert.match(row.problem ?? '', problem)
    })

  it('a mail that cannot be delivered does not block others', async () => {
    const server = await openMailServer()
    const ids = [await queue({ to: 'nowhere' }), await queue(), await queue({ to: 'b@shop.test' })]
    await sweep(server.url)
    const states = await Promise.all(ids.map(async (id) => (await find(id)).state))
    assert.deepEqual(states, ['failed', 'sent', 'sent'])
  })

  it('stop() ends although the server hangs', { timeout: 30_000 }, async () => {
    const server = await openMailServer({ answer: () => new Promise(() => {}) })
    const id = await queue()
    const patient = { connect: 600_000, idle: 600_000, total: 600_000 }
    const smtp = openSmtp({ smtpUrl: server.url, mailFrom, mode: 'sandbox', timeoutsMs: patient })
    await startMailSweeper({ db, clock, log: openLog('silent'), smtp }).stop()
    const { state, tries } = await find(id)
    assert.deepEqual([state, tries], ['pending', 1])
  })
})

describe('several processes', () => {
  it('send each mail once between them', async () => {
    const server = await openMailServer()
    const ids: string[] = []
    for (let count = 0; count < 40; count += 1) ids.push(await queue())
    const sweepers = [db, connect(), connect()].map((from) => {
      const smtp = openSmtp({ smtpUrl: server.url, mailFrom, mode: 'sandbox' })
      return startMailSweeper({ db: from, clock, log: openLog('silent'), smtp })
    })
    await server.has(40)
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
    assert.deepEqual(
      server.got.map(({ mail }) => String(mail.messageId)).sort(),
      ids.map((id) => `<${id}@pay.test>`).sort(),
    )
    assert.deepEqual(await countUnsentMails(db), { kept: 0, pending: 0, failed: 0 })
  })

  // the stored state and tries, what came of a late try, the state and tries then
  const late = [
    ['pending 0', 'put_off 1', 'pending 1'],
    ['pending 0', 'sent 1', 'sent 1'],
    ['pending 2', 'put_off 1', 'pending 2'],
    ['pending 2', 'failed 1', 'pending 2'],
    ['pending 2', 'sent 1', 'sent 1'],
    ['failed 3', 'put_off 2', 'failed 3'],
    ['failed 3', 'sent 2', 'sent 2'],
    ['sent 2', 'put_off 1', 'sent 2'],
    ['sent 2', 'failed 3', 'sent 2'],
  ] as const
  for (const [before, result, then] of late)
    it(`${result} on a mail that is ${before}: ${then}`, async () => {
      const id = await queue()
      const at = clock.now()
      const dates = (of: string) => ({
        dueAt: of === 'pending' || of === 'put_off' ? at : null,
        sentAt: of === 'sent' ? at : null,
      })
      const [state = '', stored = ''] = before.split(' ')
      const { dueAt, sentAt } = dates(state)
      await owner`
        update mails set state = ${state}, tries = ${Number(stored)}, due_at = ${dueAt},
          sent_at = ${sentAt} where id = ${id}`
      const [trigger = '', tries = ''] = result.split(' ')
      const step = { trigger: trigger as MailTrigger, tries: Number(tries), ...dates(trigger) }
      await updateMail(db, { clientId, id, problem: null, ...step })
      const row = await find(id)
      assert.equal(`${row.state} ${row.tries}`, then)
    })
})

describe('a mail that was not sent', () => {
  // its state, how it gets there, whether it can be sent again
  const scenarios: [string, (id: string) => unknown, boolean][] = [
    ['kept', (id) => set(id, 'kept'), true],
    ['failed', (id) => set(id, 'failed'), true],
    ['pending', () => {}, false],
    [
      'sent',
      (id) => owner`update mails set state = 'sent', due_at = null, sent_at = now()
      where id = ${id}`,
      false,
    ],
  ]
  const set = (id: string, state: string) => owner`
    update mails set state = ${state}, due_at = null, tries = 7, problem = 'no' where id = ${id}`
  for (const [state, make, isSent] of scenarios)
    it(`in the state ${state} ${isSent ? 'can' : 'cannot'} be sent again`, async () => {
      const server = await openMailServer()
      const id = await queue()
      await make(id)
      const isReleased = await resendMail({ db, clock }, { mail: { clientId, id }, actor: 'ops' })
      assert.equal(isReleased, isSent)
      const trace = await db`
        select actor, client_id from audit_log
        where action = 'mail.resend' and details = ${JSON.stringify({ id })}`
      assert.deepEqual(trace, isSent ? [{ actor: 'ops', client_id: clientId }] : [])
      if (!isSent) return
      await sweep(server.url)
      const { state: now, tries, problem } = await find(id)
      assert.deepEqual([now, tries, problem], ['sent', 1, null])
    })

  it('is counted by state, and listed newest first', async () => {
    const ids: string[] = []
    for (const state of ['kept', 'failed', 'failed']) {
      const id = await queue()
      await set(id, state)
      ids.unshift(id)
      clock.advance(1)
    }
    ids.unshift(await queue())
    assert.deepEqual(await countUnsentMails(db), { kept: 1, pending: 1, failed: 2 })
    const idsOf = async (from: Db, state: MailState | null, limit: number) =>
      (await readMails(from, { state, before: null, limit })).map(({ id }) => id)
    assert.deepEqual(await idsOf(db, null, 10), ids)
    assert.deepEqual(await idsOf(db, null, 2), ids.slice(0, 2))
    assert.deepEqual(await idsOf(db, 'failed', 10), ids.slice(1, 3))
  })
})
