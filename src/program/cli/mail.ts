import { type Command, Option } from 'commander'
import { isUuidInAnyCase } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Mails } from '#merchants/mail/open.ts'
import { mailStates } from '#merchants/mail/states.ts'
import type { MailRow } from '#merchants/mail/store.ts'
import { onDatabase } from './session.ts'
import { actor, print, tableOf, whole } from './terminal.ts'

/** `passerelle mail`: lists and shows mails to merchants, and sends them again. */
export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('read and resend emails')
  addList(mail)
  addShow(mail)
  addResend(mail)
}

function addList(mail: Command): void {
  mail
    .command('list')
    .description('emails, newest first')
    .addOption(new Option('--state <state>', 'only these').choices(mailStates))
    .option('--limit <count>', 'how many', whole(1), 50)
    .action(async (options, command: Command) => {
      const mails = await onDatabase(({ mails: room }) =>
        room.list({ state: options.state ?? null, before: null, limit: options.limit }),
      )
      const lines = tableOf(mails, {
        Made: (one) => one.createdAt.toISOString(),
        Mail: (one) => one.id,
        State: (one) => one.state,
        Tries: (one) => one.tries,
        To: (one) => one.recipient,
        Subject: (one) => one.subject,
        Problem: (one) => one.problem ?? '',
      })
      print(command, { mails }, lines)
    })
}

function addShow(mail: Command): void {
  mail
    .command('show <id>')
    .description('one email, as text')
    .option('--html', 'only its HTML, for a file that a browser opens', false)
    .action(async (id: string, options, command: Command) => {
      const shown = await onDatabase((session) => mailNamed(session.mails, id))
      print(command, shown, options.html ? [shown.htmlBody] : [...summary(shown), shown.textBody])
    })
}

function addResend(mail: Command): void {
  mail
    .command('resend <id>')
    .description('have the gateway send an email that was kept or given up')
    .action(async (id: string, _options, command: Command) => {
      const resent = await onDatabase(async ({ mails, config }) => {
        const found = await mailNamed(mails, id)
        if (config.smtpUrl === null)
          throw new Refusal('validation_failed', 'SMTP_URL is not set: nothing can be sent')
        if (!(await mails.resend({ mail: found, actor: actor() })))
          throw new Refusal(
            'conflict',
            `This email is already ${(await mailNamed(mails, id)).state}`,
          )
        return found
      })
      print(command, { resent: resent.id }, [`${resent.id} to ${resent.recipient} will be sent.`])
    })
}

/** The mail with this id; refuses when there is none. */
async function mailNamed(mails: Mails, id: string): Promise<MailRow> {
  const found = isUuidInAnyCase(id) ? await mails.find(id) : undefined
  if (found === undefined) throw new Refusal('not_found', 'No email found')
  return found
}

function summary(one: MailRow): string[] {
  const next = one.dueAt === null ? '' : `, next attempt ${one.dueAt.toISOString()}`
  return [
    `To       ${one.recipient}`,
    `Subject  ${one.subject}`,
    `About    ${one.kind} ${one.recordId} of client ${one.clientId}`,
    `Made     ${one.createdAt.toISOString()}`,
    `State    ${one.state}, attempts ${one.tries}${next}`,
    ...(one.sentAt === null ? [] : [`Sent     ${one.sentAt.toISOString()}`]),
    ...(one.problem === null ? [] : [`Problem  ${one.problem}`]),
    '',
  ]
}
