import { createTransport } from 'nodemailer'
import { isThisMachine } from '#base/config/addresses.ts'
import type { Config } from '#base/config/config.ts'
import type { Language } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'

/** A mail as it is sent. */
export interface OutgoingMail {
  id: string
  to: string
  language: Language
  subject: string
  text: string
  html: string
  createdAt: Date
}

/** `refused` is final: the server would refuse the mail again. `failed` may be retried. */
export type SendResult =
  | { outcome: 'sent'; problem: null }
  | { outcome: 'refused'; problem: string }
  | { outcome: 'failed'; problem: string }

export interface SmtpClient {
  /** Most mails that are sent at a time. */
  connectionsMax: number
  /** Sends one mail. Settles within the total timeout, and never rejects. */
  send(mail: OutgoingMail): Promise<SendResult>
  /** Throws when the server cannot be reached or refuses the login. */
  check(): Promise<void>
  /** Closes all connections at once; mails under way fail. */
  close(): void
}

interface SmtpOptions extends Pick<Config, 'mode' | 'mailFrom'> {
  smtpUrl: string
  /** For the connection, for silence of the server, and for the whole mail. */
  timeoutsMs?: { connect: number; idle: number; total: number }
}

const defaultTimeoutsMs = { connect: 10_000, idle: 20_000, total: 60_000 }

const connectionsMax = 5

/** A client of the installation's mail server; it connects with the first mail. */
export function openSmtp(options: SmtpOptions): SmtpClient {
  const { mailFrom, timeoutsMs = defaultTimeoutsMs } = options
  let isClosed = false
  let transport = openTransport(options)

  async function send(mail: OutgoingMail): Promise<SendResult> {
    if (!isMailAddress(mail.to)) return { outcome: 'refused', problem: 'not a mail address' }
    const used = transport
    let isLate = false
    // A server that sends a few bytes at a time never hits the idle timeout. After the total
    // timeout all connections to it are closed.
    const deadline = setTimeout(() => {
      isLate = true
      if (used === transport && !isClosed) transport = openTransport(options)
      used.close({ force: true })
    }, timeoutsMs.total)
    try {
      await used.sendMail(messageOf(mail, mailFrom))
      return { outcome: 'sent', problem: null }
    } catch (problem) {
      if (isLate)
        return { outcome: 'failed', problem: `no end within ${timeoutsMs.total / 1000} s` }
      const outcome = isFinalRefusal(problem) ? 'refused' : 'failed'
      return { outcome, problem: (problem as Error).message }
    } finally {
      clearTimeout(deadline)
    }
  }

  return {
    connectionsMax,
    send,
    check: async () => void (await transport.verify()),
    close: () => {
      isClosed = true
      transport.close({ force: true })
    },
  }
}

function openTransport({ smtpUrl, mode, timeoutsMs = defaultTimeoutsMs }: SmtpOptions) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const isLocal = isThisMachine(hostname)
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return createTransport({
    pool: true,
    host: hostname.replaceAll(/[[\]]/g, ''),
    secure: protocol === 'smtps:',
    ...(port === '' ? {} : { port: Number(port) }),
    ...(auth.user === '' ? {} : { auth }),
    requireTLS: mode === 'live' && !isLocal,
    // A server on this machine seldom has a certificate for its name, and nobody can intercept.
    tls: { rejectUnauthorized: !isLocal },
    maxConnections: connectionsMax,
    // Retries are made and counted by queue.ts.
    maxRequeues: 0,
    connectionTimeout: timeoutsMs.connect,
    greetingTimeout: timeoutsMs.connect,
    dnsTimeout: timeoutsMs.connect,
    socketTimeout: timeoutsMs.idle,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function messageOf(mail: OutgoingMail, from: Config['mailFrom']) {
  const { to, subject, text, html, createdAt: date } = mail
  return {
    // Objects, because nodemailer parses a text as a list of addresses.
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    date,
    // The same at every try, so that receivers recognise a duplicate.
    messageId: `<${mail.id}@${from.address.split('@').at(-1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
  }
}

/**
 * Whether the server permanently refused this mail: its recipient or its content. A refusal of the
 * sender or the login is about our settings, which can be corrected.
 */
function isFinalRefusal(problem: unknown): boolean {
  const { permanent, command } = problem as { permanent?: boolean; command?: string }
  return permanent === true && (command === 'RCPT TO' || command === 'DATA')
}
