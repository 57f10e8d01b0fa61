import { timeOfIdMs } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { columns, type Db, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { type MailState, type MailTrigger, mailSteps, noClient } from './states.ts'

export interface MailRow {
  clientId: number
  id: string
  kind: string
  recordId: string
  recipient: string
  language: Language
  subject: string
  textBody: string
  htmlBody: string
  state: MailState
  tries: number
  dueAt: Date | null
  createdAt: Date
  sentAt: Date | null
  problem: string | null
}

const bodies = ['text_body', 'html_body']
const summary = columns([
  'client_id',
  'id',
  'kind',
  'record_id',
  'recipient',
  'language',
  'subject',
  'state',
  'tries',
  'due_at',
  'created_at',
  'sent_at',
  'problem',
])

export type NewMail = Omit<MailRow, 'tries' | 'sentAt' | 'problem'>

export async function insertMail(tx: Tx, mail: NewMail): Promise<void> {
  await tx`
    insert into mails (client_id, id, kind, record_id, recipient, language, subject, text_body,
      html_body, state, due_at, created_at)
    values (${mail.clientId}, ${mail.id}, ${mail.kind}, ${mail.recordId}, ${mail.recipient},
      ${mail.language}, ${mail.subject}, ${mail.textBody}, ${mail.htmlBody}, ${mail.state},
      ${mail.dueAt}, ${mail.createdAt})`
}

const mailIds = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Those of these mails that are pending, with their bodies. */
export function readPendingMails(
  db: Db,
  ids: { clientId: number; id: string }[],
): Promise<MailRow[]> {
  return db<MailRow>`
    select ${summary}, ${columns(bodies)}
    from mails
    where state = 'pending' and (client_id, id) in (
      select "clientId", id from ${mailIds(ids)} as m)`
}

export type MailTry = Pick<
  MailRow,
  'clientId' | 'id' | 'tries' | 'dueAt' | 'sentAt' | 'problem'
> & { trigger: MailTrigger }

/**
 * Stores the result of a try, unless another process has stored a later one. `sent` overrides any
 * state, and no state overrides it. The texts of a mail about an account hold a code that gives
 * access to it: they are erased once it is sent.
 */
export async function updateMail(db: Db, one: MailTry): Promise<void> {
  const isSent = one.trigger === 'sent'
  const isSpent = one.clientId === noClient && isSent
  await db`
    update mails set ${mailSteps.set(one.trigger, 'mails')}, tries = ${one.tries},
      due_at = ${one.dueAt},
      sent_at = ${one.sentAt}, problem = ${one.problem},
      text_body = case when ${isSpent} then '' else text_body end,
      html_body = case when ${isSpent} then '' else html_body end
    where client_id = ${one.clientId} and id = ${one.id}
      and ${mailSteps.can(one.trigger, 'mails')} and (tries = ${one.tries} - 1 or ${isSent})`
}

/** Makes a mail that is `kept` or `failed` pending again; false when it is in another state. */
export async function releaseMail(
  tx: Tx,
  { clientId, id }: { clientId: number; id: string },
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update mails set ${mailSteps.set('resent', 'mails')}, tries = 0, due_at = ${now}, problem = null
    where client_id = ${clientId} and id = ${id} and ${mailSteps.can('resent', 'mails')}
      and text_body <> ''
    returning id`
  return rows.length === 1
}

/** Erases the texts of a mail that was kept; returns them, unless that was done before. */
export async function eraseKeptMail(
  tx: Tx,
  { clientId, id }: { clientId: number; id: string },
): Promise<string | undefined> {
  const [row] = await tx<{ text: string }>`
    update mails m set text_body = '', html_body = ''
    from (
      select client_id, id, text_body from mails
      where client_id = ${clientId} and id = ${id} and state = 'kept' and text_body <> ''
      for update
    ) old
    where (m.client_id, m.id) = (old.client_id, old.id)
    returning old.text_body as text`
  return row?.text
}

const lastTimeMs = Date.UTC(9999, 0)

/** Mails without their bodies, newest first, before one if it is given; in one state, or in all. */
export function readMails(
  db: Db,
  list: { state: MailState | null; before: string | null; limit: number },
): Promise<Omit<MailRow, 'textBody' | 'htmlBody'>[]> {
  const { state, before, limit } = list
  // The id of a mail holds the time of its creation; that of a made-up id may be beyond all dates.
  const time = before === null ? null : new Date(Math.min(timeOfIdMs(before), lastTimeMs))
  return db`
    select ${summary}
    from mails
    where (${state}::text is null or state = ${state})
      and (${before}::uuid is null or (created_at, id) < (${time}::timestamptz, ${before}))
    order by created_at desc, id desc
    limit ${limit}`
}

/** A client's mails about its own records, newest first, before one if it is given. */
export function readMailsOfClient(
  db: Db,
  list: { clientId: number; before: string; limit: number },
): Promise<Omit<MailRow, 'textBody' | 'htmlBody'>[]> {
  return db`
    select ${summary}
    from mails
    where client_id = ${list.clientId} and id < ${list.before} and kind = any(${kindsOfRecords})
    order by id desc
    limit ${list.limit}`
}

/** Such a mail of a client, with its bodies. */
export async function findMailOfClient(
  db: Db,
  clientId: number,
  id: string,
): Promise<MailRow | undefined> {
  const [found] = await db<MailRow>`
    select ${summary}, ${columns(bodies)}
    from mails
    where client_id = ${clientId} and id = ${id} and kind = any(${kindsOfRecords})`
  return found
}

// Not mails to people, such as those that set a password: whoever reads one could become them.
const kindsOfRecords = ['link_created']

/** A mail of any client, or of none; for operators only. */
export async function findMail(db: Db, id: string): Promise<MailRow | undefined> {
  const [found] = await db<MailRow>`
    select ${summary}, ${columns(bodies)}
    from mails
    where client_id = any(array(select id from clients union all select ${noClient}::integer))
      and id = ${id}
    limit 1`
  return found
}

/** The number of mails that were not sent, by state. */
export async function countUnsentMails(db: Db): Promise<Record<string, number>> {
  const rows = await db<{ state: string; count: number }>`
    select state, count(*) from mails where state <> 'sent' group by state`
  const counts = { kept: 0, pending: 0, failed: 0 }
  return { ...counts, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) }
}
