import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { after, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { headersOf, mailCertificate, openMailServer } from '../../test/mail-server.ts'
import type { Mode } from '../config/config.ts'
import { readConfig } from '../config/config.ts'
import { newId } from '../kit/ids.ts'
import type { Handover, Letter } from './smtp.ts'
import { openSmtp } from './smtp.ts'

const { mailFrom } = readConfig({ MAIL_FROM: 'Passerelle Démo <no-reply@pay.test>' })
const createdAt = new Date('2026-01-15T10:00:00Z')
const limitsMs = { connect: 2000, silence: 2000, whole: 4000 }

function open(smtpUrl: string, mode: Mode = 'sandbox', limits = limitsMs) {
  const smtp = openSmtp({ smtpUrl, mailFrom, mode, limitsMs: limits })
  after(smtp.close)
  return smtp
}

function letter(change: Partial<Letter> = {}): Letter {
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

const sent: Handover = { end: 'sent', problem: null }

describe('a mail', () => {
  it('arrives with both parts, who sent it and an id of its own', async () => {
    const server = await openMailServer()
    const one = letter()
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

  it('goes to a domain with accents by the name that servers know', async () => {
    const server = await openMailServer()
    assert.deepEqual(await open(server.url).send(letter({ to: 'contact@société.sn' })), sent)
    const [posted] = server.got
    assert.ok(posted && headersOf(posted).includes('To: contact@xn--socit-esab.sn'))
    assert.equal(posted.isUtf8, false)
  })

  it('goes over a connection that others went over before', async () => {
    const server = await openMailServer()
    const smtp = open(server.url)
    for (let count = 0; count < 3; count += 1) assert.deepEqual(await smtp.send(letter()), sent)
    assert.deepEqual([server.got.length, server.connections], [3, 1])
  })

  it('goes over a new one when the server had closed the old one', async () => {
    const server = await openMailServer()
    const smtp = open(server.url)
    await smtp.send(letter())
    await server.close()
    const again = await openMailServer({ port: server.port })
    assert.deepEqual(await smtp.send(letter()), sent)
    assert.equal(again.got.length, 1)
  })

  it('is never read from a file or an address that somebody names', async () => {
    const server = await openMailServer()
    const path = { path: '/etc/hostname' } as unknown as string
    const { end } = await open(server.url).send(letter({ text: path }))
    assert.equal(end, 'failed')
    assert.equal(server.got.length, 0)
  })
})

describe('no text ends a header', () => {
  const payload = 'x\r\nBcc: thief@evil.test\r\nX-Evil: yes\r\n\r\n<script>'
  // what is hostile, what comes of it
  const scenarios: [keyof Letter, Handover['end']][] = [
    ['subject', 'sent'],
    ['text', 'sent'],
    ['html', 'sent'],
    ['language', 'sent'],
    ['id', 'sent'],
    ['to', 'refused'],
  ]
  for (const [field, end] of scenarios)
    it(`a hostile ${field} is ${end}`, async () => {
      const server = await openMailServer()
      const answer = await open(server.url).send(letter({ [field]: payload }))
      assert.equal(answer.end, end, JSON.stringify(answer))
      assert.equal(server.got.length, end === 'sent' ? 1 : 0)
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
    it(`nobody is written to at ${JSON.stringify(to)}`, async () => {
      const server = await openMailServer()
      const answer = await open(server.url).send(letter({ to }))
      assert.deepEqual(answer, { end: 'refused', problem: 'not a mail address' })
      assert.equal(server.connections, 0)
    })
})

describe('a server that says no', () => {
  // at which step, with which code, what comes of it
  const scenarios: ['MAIL' | 'RCPT' | 'DATA', number, Handover['end']][] = [
    ['RCPT', 550, 'refused'],
    ['DATA', 554, 'refused'],
    ['RCPT', 450, 'failed'],
    ['DATA', 451, 'failed'],
    ['RCPT', 421, 'failed'],
    // The sender is a setting of ours, which can be put right.
    ['MAIL', 550, 'failed'],
    ['MAIL', 451, 'failed'],
  ]
  for (const [at, code, end] of scenarios)
    it(`to ${at} with ${code}: ${end}, and the next one goes through`, async () => {
      const server = await openMailServer({
        answer: (step, count) => (step === at && count === 1 ? code : undefined),
      })
      const smtp = open(server.url)
      const answer = await smtp.send(letter())
      assert.equal(answer.end, end, JSON.stringify(answer))
      assert.match(answer.problem ?? '', new RegExp(`${code}.* so it is`))
      assert.deepEqual(await smtp.send(letter()), sent)
      assert.equal(server.got.length, 1)
    })
})

describe('a server that is not there, or not well', () => {
  // name, what it does with a connection, the problem
  const scenarios: [string, (socket: Socket) => void, RegExp][] = [
    ['closes at once', (socket) => socket.end(), /closed|maximum number of retries/],
    ['says nothing', () => {}, /Greeting never received/],
    ['is full', (socket) => socket.end('421 too many connections\r\n'), /421 too many/],
    ['wants nobody', (socket) => socket.end('554 no service here\r\n'), /554 no service/],
    ['speaks another language', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), /Invalid greet/],
    ['falls silent', (socket) => socket.write('220 hello\r\n'), /imeout/],
    ['drips', drip, /no end within 1\.2 s/],
  ]
  for (const [name, act, problem] of scenarios)
    it(`${name}: tried once, and again later`, async () => {
      const { port, sockets } = await listen(act)
      const limits = { connect: 400, silence: 600, whole: 1200 }
      const answer = await open(`smtp://127.0.0.1:${port}`, 'sandbox', limits).send(letter())
      assert.equal(answer.end, 'failed')
      assert.match(answer.problem ?? '', problem)
      assert.equal(sockets.size, 1)
    })

  it('refuses connections: tried again later', async () => {
    const answer = await open('smtp://127.0.0.1:1').send(letter())
    assert.equal(answer.end, 'failed')
    assert.match(answer.problem ?? '', /ECONNREFUSED/)
  })

  it('hangs: mails that wait beside it go on over other connections', async () => {
    const limits = { connect: 500, silence: 60_000, whole: 600 }
    const server = await openMailServer({
      answer: (step, count) => step === 'DATA' && count === 1 && new Promise(() => {}),
    })
    const smtp = open(server.url, 'sandbox', limits)
    const stuck = await smtp.send(letter())
    assert.deepEqual(stuck, { end: 'failed', problem: 'no end within 0.6 s' })
    assert.deepEqual(await smtp.send(letter()), sent)
  })

  it('is left alone once we have closed', async () => {
    const server = await openMailServer()
    const smtp = open(server.url)
    smtp.close()
    smtp.close()
    assert.equal((await smtp.send(letter())).end, 'failed')
    assert.equal(server.connections, 0)
  })
})

describe('encryption and login', () => {
  const account = { user: 'gateway', pass: 'p@ss:w/rd%' }

  it('STARTTLS is used wherever it is offered, and the login after it', async () => {
    const server = await openMailServer({ tls: 'starttls', account })
    assert.deepEqual(await open(server.url).send(letter()), sent)
    assert.deepEqual([server.got[0]?.isSecure, server.got[0]?.user], [true, 'gateway'])
  })

  it('smtps:// is encrypted from the start', async () => {
    const server = await openMailServer({ tls: 'first', account })
    const smtp = open(server.url, 'live')
    await smtp.check()
    assert.deepEqual(await smtp.send(letter()), sent)
    assert.deepEqual([server.got[0]?.isSecure, server.got[0]?.user], [true, 'gateway'])
  })

  it('a wrong password is a setting, which can be put right', async () => {
    const server = await openMailServer({ tls: 'starttls', account })
    const smtp = open(server.url.replace('p%40ss', 'hush'))
    const { end, problem } = await smtp.send(letter())
    assert.equal(end, 'failed')
    assert.match(problem ?? '', /535/)
    assert.doesNotMatch(problem ?? '', /hush/)
    await assert.rejects(smtp.check(), /535/)
  })

  const host = '127.0.0.2'
  // mode, what the server offers, what comes of it; to this address, as to another machine
  const scenarios: [Mode, 'starttls' | undefined, 'unknown' | 'known', Handover['end']][] = [
    ['live', undefined, 'unknown', 'failed'],
    ['sandbox', undefined, 'unknown', 'sent'],
    ['live', 'starttls', 'unknown', 'failed'],
    ['sandbox', 'starttls', 'unknown', 'failed'],
    ['live', 'starttls', 'known', 'sent'],
  ]
  for (const [mode, tls, trust, end] of scenarios)
    it(`another machine, ${mode}, ${tls ?? 'plain'}, certificate ${trust}: ${end}`, async (t) => {
      const usual = getCACertificates('default')
      t.after(() => setDefaultCACertificates(usual))
      if (trust === 'known') setDefaultCACertificates([...usual, mailCertificate])
      const server = await openMailServer({ host, ...(tls === undefined ? {} : { tls }) })
      const answer = await open(server.url, mode).send(letter())
      assert.equal(answer.end, end, JSON.stringify(answer))
      assert.deepEqual(
        server.got.map(({ isSecure }) => isSecure),
        end === 'sent' ? [tls !== undefined] : [],
      )
    })
})

/** Greets, and then never comes to the end of an answer. */
function drip(socket: Socket): void {
  socket.write('220 hello\r\n')
  const timer = setInterval(() => socket.write('250-and more\r\n'), 50)
  socket.on('close', () => clearInterval(timer))
}

/** A server that does this with whoever comes, and who came. */
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
