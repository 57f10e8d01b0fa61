import { createTransport } from 'nodemailer'
import type { Config } from '../config/config.ts'
import { isThisMachine } from '../config/config.ts'
import type { Language } from '../kit/language.ts'
import { isMailAddress } from '../kit/mail-address.ts'

/** A mail as it goes out. */
export interface Letter {
  id: string
  to: string
  language: Language
  subject: string
  text: string
  html: string
  createdAt: Date
}

/** What came of handing a mail over. One that was refused would be refused again. */
export type Handover =
  | { end: 'sent'; problem: null }
  | { end: 'refused'; problem: string }
  | { end: 'failed'; problem: string }

export interface Smtp {
  /** Hands one mail over. Whatever the server does, it ends soon, and it never throws. */
  send(letter: Letter): Promise<Handover>
  /** Throws when the server cannot be reached or does not let us in. */
  check(): Promise<void>
  /** Cuts off whatever is under way. */
  close(): void
}

interface SmtpOrder extends Pick<Config, 'mode' | 'mailFrom'> {
  smtpUrl: string
  /** How long to wait for a connection, for a sign of life, and for everything together. */
  limitsMs?: { connect: number; silence: number; whole: number }
}

const generalLimitsMs = { connect: 10_000, silence: 20_000, whole: 60_000 }

/** At most as many mails are handed over at once. */
export const smtpConnectionsMax = 5

/** The mail server of this installation; nothing is sent before the first mail. */
export function openSmtp(order: SmtpOrder): Smtp {
  const { mailFrom, limitsMs = generalLimitsMs } = order
  let isClosed = false
  let transport = openTransport(order)

  async function send(letter: Letter): Promise<Handover> {
    if (!isMailAddress(letter.to)) return { end: 'refused', problem: 'not a mail address' }
    const used = transport
    let isLate = false
    // A server that drips its answers is never silent. Its connections are given up, all of them.
    const deadline = setTimeout(() => {
      isLate = true
      if (used === transport && !isClosed) transport = openTransport(order)
      used.close({ force: true })
    }, limitsMs.whole)
    try {
      await used.sendMail(messageOf(letter, mailFrom))
      return { end: 'sent', problem: null }
    } catch (problem) {
      if (isLate) return { end: 'failed', problem: `no end within ${limitsMs.whole / 1000} s` }
      return { end: isFinal(problem) ? 'refused' : 'failed', problem: (problem as Error).message }
    } finally {
      clearTimeout(deadline)
    }
  }

  return {
    send,
    check: async () => void (await transport.verify()),
    close: () => {
      isClosed = true
      transport.close({ force: true })
    },
  }
}

function openTransport({ smtpUrl, mode, limitsMs = generalLimitsMs }: SmtpOrder) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const isHere = isThisMachine(hostname)
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return createTransport({
    pool: true,
    host: hostname.replaceAll(/[[\]]/g, ''),
    secure: protocol === 'smtps:',
    ...(port === '' ? {} : { port: Number(port) }),
    ...(auth.user === '' ? {} : { auth }),
    requireTLS: mode === 'live' && !isHere,
    // A server of this machine seldom has a certificate in its name, and nobody is in between.
    tls: { rejectUnauthorized: !isHere },
    maxConnections: smtpConnectionsMax,
    // Trying again is ours to do, and to count.
    maxRequeues: 0,
    connectionTimeout: limitsMs.connect,
    greetingTimeout: limitsMs.connect,
    dnsTimeout: limitsMs.connect,
    socketTimeout: limitsMs.silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function messageOf(letter: Letter, from: Config['mailFrom']) {
  const { to, subject, text, html, createdAt: date } = letter
  return {
    // As objects: a text would be read as a list of addresses.
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    date,
    // The same at every try, so that receivers can tell a mail that comes twice.
    messageId: `<${letter.id}@${from.address.split('@').at(-1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': letter.language },
  }
}

/**
 * Whether the server said no for good to this very mail. To the sender or to the login it says no
 * because of our settings, and those can be put right.
 */
function isFinal(problem: unknown): boolean {
  const { permanent, command } = problem as { permanent?: boolean; command?: string }
  return permanent === true && (command === 'RCPT TO' || command === 'DATA')
}
