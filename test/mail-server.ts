import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { eventually } from './wait.ts'

/** A mail as the server received it, and as a mail program reads it. */
export interface ReceivedMail {
  from: string
  to: string[]
  raw: string
  mail: Email
  isSecure: boolean
  /** Whether the client used SMTPUTF8, for addresses beyond ASCII. */
  isUtf8: boolean
  user: unknown
}

type Step = 'MAIL' | 'RCPT' | 'DATA'

/** Returns the code of a refusal, or undefined to accept; a promise delays the answer. */
type Answer = (step: Step, count: number) => unknown

interface ServerOptions {
  /** Left out: 127.0.0.1. */
  host?: string
  /** Left out: any that is free. */
  port?: number
  /** TLS from the first byte, or after STARTTLS; left out: no TLS. */
  tls?: 'first' | 'starttls'
  account?: { user: string; pass: string }
  answer?: Answer
}

/** A mail server that keeps the mails it receives, and answers as the test says. */
export async function openMailServer(options: ServerOptions = {}) {
  const { host = '127.0.0.1', port = 0, tls, account } = options
  const counts = { MAIL: 0, RCPT: 0, DATA: 0 }
  const server = {
    url: '',
    port: 0,
    got: [] as ReceivedMail[],
    connections: 0,
    counts,
    answer: options.answer ?? (() => undefined),
    /** Waits until it has received this many mails. */
    has: async (count: number): Promise<ReceivedMail[]> => {
      await eventually(`${count} mails`, () => server.got.length >= count)
      return server.got
    },
    close: () => new Promise<void>((resolve) => smtp.close(resolve)),
  }
  const decide = async (step: Step, next: (refusal?: Error) => void) => {
    counts[step] += 1
    const code = await server.answer(step, counts[step])
    if (typeof code === 'number') next(Object.assign(new Error('so it is'), { responseCode: code }))
    else next()
  }
  const smtp = new SMTPServer({
    secure: tls === 'first',
    key,
    cert: mailCertificate,
    logger: false,
    disableReverseLookup: true,
    closeTimeout: 10,
    authOptional: account === undefined,
    disabledCommands: [
      ...(tls === undefined ? ['STARTTLS'] : []),
      ...(account === undefined ? ['AUTH'] : []),
    ],
    onConnect: (_session, next) => {
      server.connections += 1
      next()
    },
    onAuth: ({ username, password }, _session, next) =>
      username === account?.user && password === account?.pass
        ? next(null, { user: username })
        : next(new Error('unknown')),
    onMailFrom: (_address, _session, next) => void decide('MAIL', next),
    onRcptTo: (_address, _session, next) => void decide('RCPT', next),
    // A client that disconnects within the data gets no answer.
    onData: (stream, session, next) => void receive(stream, session, next).catch(() => {}),
  })
  async function receive(
    stream: SMTPServerDataStream,
    { envelope, secure: isSecure, user }: SMTPServerSession,
    next: (refusal?: Error) => void,
  ): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString('latin1')
    const mail = await PostalMime.parse(Buffer.concat(chunks))
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
    const isUtf8 = envelope.smtpUtf8 === true
    const to = envelope.rcptTo.map(({ address }) => address)
    await decide('DATA', (refusal) => {
      if (refusal === undefined) server.got.push({ from, to, raw, mail, isSecure, isUtf8, user })
      next(refusal)
    })
  }
  // A client may break a connection; that is not an error of the test.
  smtp.on('error', () => {})
  const listening = smtp.listen(port, host)
  await once(listening, 'listening')
  server.port = (listening.address() as AddressInfo).port
  const login = account === undefined ? '' : `${account.user}:${encodeURIComponent(account.pass)}@`
  server.url = `smtp${tls === 'first' ? 's' : ''}://${login}${host}:${server.port}`
  after(server.close)
  return server
}

/** The headers of a mail, each unfolded to one line. */
export function headersOf({ raw }: ReceivedMail): string[] {
  const [head = ''] = raw.split('\r\n\r\n')
  return head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
}

// A self-signed certificate for 127.0.0.2, for these tests only.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzyApM7NKbRg1Ysri
oczvk1ZU96zAK+HaL+kFDR9mcSehRANCAAQPBqsFvjJQGaDc280ZtvzEB8TVvBDV
EJJIO3y2jEx4LP4eJ+aDxRU+oBky8BopaxNFct8xsBznfUDPegIgsAXm
-----END PRIVATE KEY-----`
export const mailCertificate = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUMycai+OrvOLFV39vpLF47Fz3/nswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4yMCAXDTI2MTExNTA1NDEzMloYDzIxMjYxMDIy
MDU0MTMyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjIwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQPBqsFvjJQGaDc280ZtvzEB8TVvBDVEJJIO3y2jEx4LP4eJ+aDxRU+
oBky8BopaxNFct8xsBznfUDPegIgsAXmo2QwYjAdBgNVHQ4EFgQUgNRZLCzAXjdT
fsrFheNUtKLYXDUwHwYDVR0jBBgwFoAUgNRZLCzAXjdTfsrFheNUtKLYXDUwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAACMAoGCCqGSM49BAMCA0gAMEUC
IFHAthfMt8NNbkLtUvrOv+O8ek8mNB2671WjnaM3LsrXAiEA89QKx+l6IqXbfoAm
kZnVkRCVXkapoGqKBqUWKttclfY=
-----END CERTIFICATE-----`
