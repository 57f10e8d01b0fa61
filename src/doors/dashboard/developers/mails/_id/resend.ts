import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { resendWords } from '#doors/dashboard/frame/mail-parts.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

/** POST …/resend of a mail: of those to the merchant that is shown, and of any for operators. */
export default function resend(pages: Pages, { config, mails }: DashboardContext): void {
  const places = [
    ['/dashboard/developers/mails/:id/resend', 'event.resend'],
    ['/dashboard/ops/mails/:id/resend', 'ops.mails.resend'],
  ] as const
  for (const [path, action] of places)
    pages.action(path, { action, reviewed: null }, async ({ part, client, actor, language }) => {
      const id = part('id')
      if (!isUuid(id)) return undefined
      const mail = await (client === null ? mails.find(id) : mails.findOf(client.id, id))
      if (mail === undefined) return undefined
      const { done, already, noServer } = resendWords[language]
      const to = path.replace(':id/resend', id)
      if (config.smtpUrl === null) return { to, text: noServer, tone: 'bad' }
      return { to, text: (await mails.resend({ mail, actor })) ? done : already }
    })
}
