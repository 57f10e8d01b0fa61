import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readConfig } from '#base/config/config.ts'
import { type Clock, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { type Db, openDb } from '#data/db/db.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { openMailServer } from '#test/mail-server.ts'
import { queueMail, startMailSweeper } from './queue.ts'
import { openSmtp } from './smtp.ts'
import { findMail } from './store.ts'

const { MAIL_CHILD_DATABASE: childUrl, MAIL_CHILD_SMTP: childSmtp = '' } = process.env
const { mailFrom } = readConfig({ MAIL_FROM: 'no-reply@pay.test' })

// The child process that gets killed runs this file too.
if (childUrl === undefined) describe('a sender that is killed', test)
else {
  send(openDb({ url: childUrl, role: 'passerelle_app' }), childSmtp)
  setInterval(() => {}, 1000)
}

function send(db: Db, smtpUrl: string, clock: Clock = systemClock) {
  const smtp = openSmtp({ smtpUrl, mailFrom, mode: 'sandbox' })
  return startMailSweeper({ db, clock, log: openLog('silent'), smtp })
}

function test(): void {
  it('leaves a mail that falls due again, and is sent with the same Message-ID', async () => {
    const { url, db } = await testDatabase()
    const server = await openMailServer()
    const mail = {
      clientId: await newClient(db, systemClock),
      kind: 'hello',
      recordId: 'record',
      to: 'awa@shop.test',
      language: 'fr' as const,
      subject: 'Bonjour',
      text: 'Bonjour',
      html: '<p>Bonjour</p>',
    }
    const now = systemClock.now()
    const id = await db.transaction((tx) => queueMail(tx, mail, now, true))
    const taken = Promise.withResolvers<void>()
    // The server has the whole mail; the sender is killed before it gets the reply.
    server.answer = (step) => {
      if (step === 'DATA') taken.resolve()
      return step === 'DATA' && ended
    }
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
      env: { ...environment, MAIL_CHILD_DATABASE: url, MAIL_CHILD_SMTP: server.url },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(child, 'exit')
    await taken.promise
    child.kill('SIGKILL')
    await ended
    await server.has(1)
    const left = await findMail(db, id)
    assert.deepEqual([left?.state, left?.tries], ['pending', 0])
    assert.ok(left?.dueAt && left.dueAt > now)

    server.answer = () => undefined
    // No process sends it before its lease ends.
    const clock = testClock(new Date(left.dueAt.getTime() - 1).toISOString())
    await send(db, server.url, clock).stop()
    assert.equal(server.got.length, 1)
    clock.advance(1)
    await send(db, server.url, clock).stop()
    assert.deepEqual(
      server.got.map((one) => one.mail.messageId),
      [`<${id}@pay.test>`, `<${id}@pay.test>`],
    )
    assert.equal((await findMail(db, id))?.state, 'sent')
  })
}
