import { recordAudit } from '../db/audit-log.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Sweeper } from '../db/due.ts'
import { claimDue, startSweeper } from '../db/due.ts'
import { toStorable } from '../db/storable-text.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { Language } from '../kit/language.ts'
import type { Log } from '../kit/log.ts'
import { oneLine } from '../kit/one-line.ts'
import type { Handover, Smtp } from './smtp.ts'
import { smtpConnectionsMax } from './smtp.ts'
import type { MailRow, MailTry } from './store.ts'
import { insertMail, readPendingMails, releaseMail, updateMail } from './store.ts'

/** A mail to be written. */
export interface Mail {
  clientId: number
  kind: string
  /** What it is about. */
  recordId: string
  to: string
  language: Language
  subject: string
  text: string
  html: string
}

const addressLengthMax = 254
const subjectLengthMax = 200
const problemLengthMax = 300

/**
 * Writes a mail in the transaction of its cause, and says its id. It is sent soon after the commit;
 * where there is no mail server it is kept, for people to read.
 */
export async function queueMail(tx: Tx, mail: Mail, now: Date, hasSmtp: boolean): Promise<string> {
  const { clientId, kind, recordId, language } = mail
  const id = newId(now)
  await insertMail(tx, {
    clientId,
    id,
    kind,
    recordId,
    language,
    recipient: oneLine(mail.to, addressLengthMax),
    subject: oneLine(mail.subject, subjectLengthMax),
    textBody: toStorable(mail.text),
    htmlBody: toStorable(mail.html),
    state: hasSmtp ? 'pending' : 'kept',
    dueAt: hasSmtp ? now : null,
    createdAt: now,
  })
  return id
}

/** Sends a mail after all that was kept or given up; false when it is neither. */
export function resendMail(
  db: Db,
  clock: Clock,
  order: { mail: { clientId: number; id: string }; actor: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { mail, actor } = order
    const at = clock.now()
    const isReleased = await releaseMail(tx, mail, at)
    const { clientId, id } = mail
    const action = 'mail.resend'
    if (isReleased) await recordAudit(tx, { at, actor, action, clientId, details: { id } })
    return isReleased
  })
}

interface Sending {
  db: Db
  clock: Clock
  log: Log
  smtp: Smtp
  /** Spreads tries over time. */
  random?: () => number
}

// Longer than handing a mail over ever takes: only a mail whose sender died falls due again.
const leaseMs = 120_000
const graceMs = 5000

/** Sends what is due until it is stopped; then the mail server is closed as well. */
export function startMailSweeper(sending: Sending): Sweeper {
  const { db, clock, log, smtp } = sending
  const sweeper = startSweeper({
    name: 'mails',
    claim: (now, limit) => claimDue(db, { table: 'mails', now, leaseMs, limit }),
    work: async (due) => {
      const mails = await readPendingMails(db, due)
      await Promise.all(mails.map((mail) => sendMail(sending, mail)))
    },
    // Each has a connection of its own, so that none waits for another while its lease runs.
    batchMax: smtpConnectionsMax,
    idleMs: 1000,
    clock,
    log,
  })
  return {
    wake: sweeper.wake,
    stop: async () => {
      // A server that hangs does not keep us: what it had not taken by then is tried again.
      const cut = setTimeout(smtp.close, graceMs)
      await sweeper.stop()
      clearTimeout(cut)
      smtp.close()
    },
  }
}

/** Makes one try and keeps what came of it; what cannot be kept falls due again. */
async function sendMail({ db, clock, log, smtp, random }: Sending, mail: MailRow): Promise<void> {
  const { clientId, id, kind, recipient: to, textBody: text, htmlBody: html } = mail
  const { language, subject, createdAt } = mail
  const handover = await smtp.send({ id, to, language, subject, text, html, createdAt })
  const tries = mail.tries + 1
  const next = nextOf(handover, tries, clock.now(), random)
  const problem = handover.problem === null ? null : oneLine(handover.problem, problemLengthMax)
  log.info({ clientId, mailId: id, kind, tries, state: next.state, problem }, 'mail')
  try {
    await updateMail(db, { clientId, id, tries, problem, ...next })
  } catch (lost) {
    log.error({ err: lost, mailId: id }, 'what came of a mail could not be kept: it is tried again')
  }
}

/** A refusal ends it; anything else is tried again until the schedule ends. */
function nextOf(
  { end }: Handover,
  tries: number,
  now: Date,
  random: (() => number) | undefined,
): Pick<MailTry, 'state' | 'dueAt' | 'sentAt'> {
  if (end === 'sent') return { state: 'sent', dueAt: null, sentAt: now }
  const waitMs = end === 'refused' ? undefined : waitAfter(tries, random)
  if (waitMs === undefined) return { state: 'failed', dueAt: null, sentAt: null }
  return { state: 'pending', dueAt: after(now, waitMs), sentAt: null }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
// When a mail is tried, counted from the try before; after the last one it is given up.
const scheduleMs = [0, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 24 * hourMs]
const jitter = 0.2

/** How long to wait after a failed try; undefined: that was the last. */
function waitAfter(tries: number, random: () => number = Math.random): number | undefined {
  const next = scheduleMs[tries]
  return next === undefined ? undefined : Math.round(next * (1 + jitter * (2 * random() - 1)))
}
