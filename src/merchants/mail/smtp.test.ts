import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type Mode, readConfig } from '#base/config/config.ts'
import { newId } from '#base/kit/ids.ts'
import { headersOf, mailCertificate, openMailServer } from '#test/mail-server.ts'
import { type OutgoingMail, openSmtp, type SendResult } from './smtp.ts'

const { mailFrom } = readConfig({ MAIL_FROM: 'Passerelle Démo <no-reply@pay.test>' })
const createdAt = new Date('2026-01-15T10:00:00Z')
const timeoutsMs = { connect: 2000, idle: 2000, total: 4000 }

function open(smtpUrl: string, mode: Mode = 'sandbox', timeouts = timeoutsMs) {
  const smtp = openSmtp({ smtpUrl, mailFrom, mode, timeoutsMs: timeouts })
  after(smtp.close)
  return smtp
}

function mailWith(change: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    id: newId(createdAt),
    to: 'awa@shop.test',
    language: 'fr',
    subject: 'Lien de paiement créé',
    text: 'Bonjour, c’est prêt.\n',
    html: '<p>Bonjour, c’est <b>prêt</b>.</p>',
    createdAt,
    ...change,
  }
}

const sent: SendResult = { outcome: 'sent', problem: null }

describe('a mail', () => {
  it('arrives with both parts, its sender and its Message-ID', async () => {
    const server = await openMailServer()
    const one = mailWith()
    assert.deepEqual(await open(server.url).send(one), sent)
    const [posted] = server.got
    assert.ok(posted)
    const { mail } = posted
    assert.deepEqual([posted.from, posted.to], ['no-reply@pay.test', ['awa@shop.test']])
    assert.deepEqual(mail.from, { name: 'Passerelle Démo', address: 'no-reply@pay.test' })
    assert.deepEqual(mail.to, [{ name: '', address: 'awa@shop.test' }])
    assert.equal(mail.subject, 'Lien de paiement créé')
    assert.equal(mail.messageId, `<${one.id}@pay.test>`)
    assert.equal(mail.date, '2026-01-15T10:00:00.000Z')
    assert.equal(mail.text?.trim(), 'Bonjour, c’est prêt.')
    assert.equal(mail.html?.trim(), '<p>Bonjour, c’est <b>prêt</b>.</p>')
    const headers = headersOf(posted)
    assert.ok(headers.includes('Auto-Submitted: auto-generated'))
    assert.ok(headers.includes('Content-Language: fr'))
    assert.ok(headers.some((line) => line.startsWith('Content-Type: multipart/alternative;')))
    assert.match(posted.raw, /Content-Type: text\/plain; charset=utf-8[\s\S]+text\/html/)
  })

  it('to a domain with accents is sent to its ASCII form', async () => {
    const server = await openMailServer()
    assert.deepEqual(await open(server.url).send(mailWith({ to: 'contact@société.sn' })), sent)
    const [posted] = server.got
    assert.ok(posted && headersOf(posted).includes('To: contact@xn--socit-esab.sn'))
    assert.equal(posted.isUtf8, false)
  })

  it('reuses a connection', async () => {
    const server = await openMailServer()
    const smtp = open(server.url)
    for (let count = 0; count < 3; count += 1) assert.deepEqual(await smtp.send(mailWith()), sent)
    assert.deepEqual([server.got.length, server.connections], [3, 1])
  })

  it('opens a new connection when the server has closed the old one', async () => {
    const server = await openMailServer()
    const smtp = open(server.url)
    await smtp.send(mailWith())
    await server.close()
    const again = await openMailServer({ port: server.port })
    assert.deepEqual(await smtp.send(mailWith()), sent)
    assert.equal(again.got.length, 1)
  })

  it('is never read from a file that a field names', async () => {
    const server = await openMailServer()
    const path = { path: '/etc/hostname' } as unknown as string
    const { outcome } = await open(server.url).send(mailWith({ text: path }))
    assert.equal(outcome, 'failed')
    assert.equal(server.got.length, 0)
  })
})

describe('header injection', () => {
  const payload = 'x\r\nBcc: thief@evil.test\r\nX-Evil: yes\r\n\r\n<script>'
  // the hostile field, the outcome
  const scenarios: [keyof OutgoingMail, SendResult['outcome']][] = [
    ['subject', 'sent'],
    ['text', 'sent'],
    ['html', 'sent'],
    ['language', 'sent'],
    ['id', 'sent'],
    ['to', 'refused'],
  ]
  for (const [field, outcome] of scenarios)
    it(`adds no header by a hostile ${field}: ${outcome}`, async () => {
      const server = await openMailServer()
      const answer = await open(server.url).send(mailWith({ [field]: payload }))
      assert.equal(answer.outcome, outcome, JSON.stringify(answer))
      assert.equal(server.got.length, outcome === 'sent' ? 1 : 0)
      for (const posted of server.got) {
        assert.deepEqual(posted.to, ['awa@shop.test'])
        assert.deepEqual(
          headersOf(posted).filter((line) => /^(bcc|x-evil|<script)/i.test(line)),
          [],
        )
        assert.deepEqual(namesOf(headersOf(posted)), usual)
      }
    })

  const usual = [
    'Auto-Submitted',
    'Content-Language',
    'Content-Type',
    'Date',
    'From',
    'MIME-Version',
    'Message-ID',
    'Subject',
    'To',
  ]

  function namesOf(headers: string[]): string[] {
    return headers.map((line) => line.slice(0, line.indexOf(':'))).sort()
  }

  const hostile = [
    'a@shop.test, thief@evil.test',
    'a@shop.test\nthief@evil.test',
    '<a@shop.test> SIZE=1',
    'Awa <a@shop.test>',
    'group: a@shop.test;',
    'a@shop.test\0',
    '',
  ]
  for (const to of hostile)
    it(`opens no connection for the address ${JSON.stringify(to)}`, async () => {
      const server = await openMailServer()
      const answer = await open(server.url).send(mailWith({ to }))
      assert.deepEqual(answer, { outcome: 'refused', problem: 'not a mail address' })
      assert.equal(server.connections, 0)
    })
})

describe('a mail that the server refuses', () => {
  // at which step, with which code, the outcome
  const scenarios: ['MAIL' | 'RCPT' | 'DATA', number, SendResult['outcome']][] = [
    ['RCPT', 550, 'refused'],
    ['DATA', 554, 'refused'],
    ['RCPT', 450, 'failed'],
    ['DATA', 451, 'failed'],
    ['RCPT', 421, 'failed'],
    // The sender is our own setting, which can be corrected.
    ['MAIL', 550, 'failed'],
    ['MAIL', 451, 'failed'],
  ]
  for (const [at, code, outcome] of scenarios)
    it(`at ${at} with ${code} is ${outcome}, and the next one is sent`, async () => {
      const server = await openMailServer({
        answer: (step, count) => (step === at && count === 1 ? code : undefined),
      })
      const smtp = open(server.url)
      const answer = await smtp.send(mailWith())
      assert.equal(answer.outcome, outcome, JSON.stringify(answer))
      assert.match(answer.problem ?? '', new RegExp(`${code}.* so it is`))
      assert.deepEqual(await smtp.send(mailWith()), sent)
      assert.equal(server.got.length, 1)
    })
})

describe('a server that does not work', () => {
  // name, what it does with a connection, the problem
  const scenarios: [string, (socket: Socket) => void, RegExp][] = [
    ['closes at once', (socket) => socket.end(), /closed|maximum number of retries/],
    ['sends nothing', () => {}, /Greeting never received/],
    ['is full', (socket) => socket.end('421 too many connections\r\n'), /421 too many/],
    ['offers no service', (socket) => socket.end('554 no service here\r\n'), /554 no service/],
    ['speaks HTTP', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), /Invalid greet/],
    ['falls silent', (socket) => socket.write('220 hello\r\n'), /imeout/],
    ['sends a few bytes at a time', drip, /no end within 1\.2 s/],
  ]
  for (const [name, act, problem] of scenarios)
    it(`that ${name} makes a mail fail after one connection`, async () => {
      const { port, sockets } = await listen(act)
      const timeouts = { connect: 400, idle: 600, total: 1200 }
      const answer = await open(`smtp://127.0.0.1:${port}`, 'sandbox', timeouts).send(mailWith())
      assert.equal(answer.outcome, 'failed')
      assert.match(answer.problem ?? '', problem)
      assert.equal(sockets.size, 1)
    })

  it('that refuses connections makes a mail fail', async () => {
    const answer = await open('smtp://127.0.0.1:1').send(mailWith())
    assert.equal(answer.outcome, 'failed')
    assert.match(answer.problem ?? '', /ECONNREFUSED/)
  })

  it('that hangs with one mail does not block the next', async () => {
    const timeouts = { connect: 500, idle: 60_000, total: 600 }
    const server = await openMailServer({
      answer: (step, count) => step === 'DATA' && count === 1 && new Promise(() => {}),
    })
    const smtp = open(server.url, 'sandbox', timeouts)
    const stuck = await smtp.send(mailWith())
    assert.deepEqual(stuck, { outcome: 'failed', problem: 'no end within 0.6 s' })
    assert.deepEqual(await smtp.send(mailWith()), sent)
  })

  it('gets no connection after smtp.close()', async () => {
    const server = await openMailServer()
    const smtp = open(server.url)
    smtp.close()
    smtp.close()
    assert.equal((await smtp.send(mailWith())).outcome, 'failed')
    assert.equal(server.connections, 0)
  })
})

describe('encryption and login', () => {
  const account = { user: 'gateway', pass: 'p@ss:w/rd%' }

  it('STARTTLS is used whenever it is offered, and the login comes after it', async () => {
    const server = await openMailServer({ tls: 'starttls', account })
    assert.deepEqual(await open(server.url).send(mailWith()), sent)
    assert.deepEqual([server.got[0]?.isSecure, server.got[0]?.user], [true, 'gateway'])
  })

  it('smtps:// is encrypted from the start', async () => {
    const server = await openMailServer({ tls: 'first', account })
    const smtp = open(server.url, 'live')
    await smtp.check()
    assert.deepEqual(await smtp.send(mailWith()), sent)
    assert.deepEqual([server.got[0]?.isSecure, server.got[0]?.user], [true, 'gateway'])
  })

  it('a wrong password makes a mail fail, and is not repeated in the problem', async () => {
    const server = await openMailServer({ tls: 'starttls', account })
    const smtp = open(server.url.replace('p%40ss', 'hush'))
    const { outcome, problem } = await smtp.send(mailWith())
    assert.equal(outcome, 'failed')
    assert.match(problem ?? '', /535/)
    assert.doesNotMatch(problem ?? '', /hush/)
    await assert.rejects(smtp.check(), /535/)
  })

  const host = '127.0.0.2'
  // mode, what the server offers, whether its certificate is trusted, the outcome; the address
  // counts as another machine
  const scenarios: [Mode, 'starttls' | undefined, 'unknown' | 'known', SendResult['outcome']][] = [
    ['live', undefined, 'unknown', 'failed'],
    ['sandbox', undefined, 'unknown', 'sent'],
    ['live', 'starttls', 'unknown', 'failed'],
    ['sandbox', 'starttls', 'unknown', 'failed'],
    ['live', 'starttls', 'known', 'sent'],
  ]
  for (const [mode, tls, trust, outcome] of scenarios)
    it(`remote, ${mode}, ${tls ?? 'plain'}, certificate ${trust}: ${outcome}`, async (t) => {
      const usual = getCACertificates('default')
      t.after(() => setDefaultCACertificates(usual))
      if (trust === 'known') setDefaultCACertificates([...usual, mailCertificate])
      const server = await openMailServer({ host, ...(tls === undefined ? {} : { tls }) })
      const answer = await open(server.url, mode).send(mailWith())
      assert.equal(answer.outcome, outcome, JSON.stringify(answer))
      assert.deepEqual(
        server.got.map(({ isSecure }) => isSecure),
        outcome === 'sent' ? [tls !== undefined] : [],
      )
    })
})

/** Greets, and then never ends its reply. */
function drip(socket: Socket): void {
  socket.write('220 hello\r\n')
  const timer = setInterval(() => socket.write('250-and more\r\n'), 50)
  socket.on('close', () => clearInterval(timer))
}

/** A server that does this with each connection, and its open sockets. */
async function listen(
  act: (socket: Socket) => void,
): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    act(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}
