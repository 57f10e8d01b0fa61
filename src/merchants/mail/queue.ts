import { after } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { oneLine } from '#base/kit/one-line.ts'
import type { Log } from '#base/log/log.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import { claimDue, type Sweeper, startSweeper } from '#data/db/due.ts'
import { toStorable } from '#data/db/storable-text.ts'
import type { SendResult, SmtpClient } from './smtp.ts'
import { mailSteps } from './states.ts'
import {
  insertMail,
  type MailRow,
  type MailTry,
  readPendingMails,
  releaseMail,
  updateMail,
} from './store.ts'

/** A mail to queue. */
export interface Mail {
  /** `noClient` for mails about the accounts of people. */
  clientId: number
  kind: string
  /** The id of the record it is about. */
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
 * Queues a mail in the transaction that causes it, and returns its id. It is sent soon after the
 * commit; without a mail server it is only stored, in the state `kept`.
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

export interface ResendOrder {
  mail: { clientId: number; id: string }
  actor: string
}

/** Queues a mail again that is `kept` or `failed`; false when it is in another state. */
export function resendMail({ db, clock }: DbParts, order: ResendOrder): Promise<boolean> {
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

interface MailSender extends DbParts {
  log: Log
  smtp: SmtpClient
  /** For the jitter of retries. */
  random?: () => number
}

// Longer than sending a mail ever takes: only the mail of a process that died falls due again.
const leaseMs = 120_000
// More than the total timeout of the SMTP client.
const sendMsMax = 70_000
const stopTimeoutMs = 5000

/** Sends due mails until it is stopped; `stop` also closes the SMTP client. */
export function startMailSweeper(sender: MailSender): Sweeper {
  const { db, clock, log, smtp } = sender
  const sweeper = startSweeper({
    name: 'mails',
    claim: async (now, limit) => {
      const due = await claimDue(db, { table: 'mails', now, leaseMs, limit })
      return due.map((one) => ({ ...one, leaseEndsAt: after(now, leaseMs) }))
    },
    work: async (due) => {
      const mails = await readPendingMails(db, due)
      // A process that was stopped since its claim leaves them: another one has sent them, or will.
      if (due.some(({ leaseEndsAt }) => after(clock.now(), sendMsMax) > leaseEndsAt)) return
      await Promise.all(mails.map((mail) => sendMail(sender, mail)))
    },
    // One mail for each SMTP connection, so that none waits for another while its lease runs.
    batchMax: smtp.connectionsMax,
    idleMs: 1000,
    clock,
    log,
  })
  return {
    wake: sweeper.wake,
    stop: async () => {
      // Does not wait longer for a server that hangs: mails it has not accepted are tried again.
      const timer = setTimeout(smtp.close, stopTimeoutMs)
      await sweeper.stop()
      clearTimeout(timer)
      smtp.close()
    },
  }
}

/** Tries once and stores the result; if that fails, the mail falls due again after its lease. */
async function sendMail(
  { db, clock, log, smtp, random }: MailSender,
  mail: MailRow,
): Promise<void> {
  const { clientId, id, kind, recipient: to, textBody: text, htmlBody: html } = mail
  const { language, subject, createdAt } = mail
  const result = await smtp.send({ id, to, language, subject, text, html, createdAt })
  const tries = mail.tries + 1
  const next = stepAfter(result, tries, clock.now(), random)
  const problem = result.problem === null ? null : oneLine(result.problem, problemLengthMax)
  const state = mailSteps.next('pending', next.trigger)
  log.info({ clientId, mailId: id, kind, tries, state, problem }, 'mail')
  try {
    await updateMail(db, { clientId, id, tries, problem, ...next })
  } catch (lost) {
    log.error({ err: lost, mailId: id }, 'could not save the result of a mail: it is retried')
  }
}

/** A refusal is final; any other failure is retried until the schedule ends. */
function stepAfter(
  { outcome }: SendResult,
  tries: number,
  now: Date,
  random: (() => number) | undefined,
): Pick<MailTry, 'trigger' | 'dueAt' | 'sentAt'> {
  if (outcome === 'sent') return { trigger: 'sent', dueAt: null, sentAt: now }
  const delayMs = outcome === 'refused' ? undefined : delayAfter(tries, random)
  if (delayMs === undefined) return { trigger: 'failed', dueAt: null, sentAt: null }
  return { trigger: 'put_off', dueAt: after(now, delayMs), sentAt: null }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
// The delay before each try, counted from the one before; after the last one the mail has failed.
const scheduleMs = [0, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 24 * hourMs]
const jitter = 0.2

/** How long to wait after this many tries; undefined after the last. */
function delayAfter(tries: number, random: () => number = Math.random): number | undefined {
  const next = scheduleMs[tries]
  return next === undefined ? undefined : Math.round(next * (1 + jitter * (2 * random() - 1)))
}
