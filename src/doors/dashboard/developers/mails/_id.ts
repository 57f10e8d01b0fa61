import { html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import { isStuck, mailFacts, mailState } from '#doors/dashboard/frame/mail-parts.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { maskPrivate } from '#edge/requests/keep.ts'
import { detailScreen } from '../tabs.ts'

const words = inBoth({
  fr: {
    again: fr`Renvoyer`,
  },
  en: {
    again: 'Resend',
  },
})

/** GET /dashboard/developers/mails/:id: its text alone, so that nothing of it runs or loads. */
export default function mail(pages: Pages, { config, mails }: DashboardContext): void {
  pages.screen('/dashboard/developers/mails/:id', 'developer.read', async (visit) => {
    const id = visit.part('id')
    const found = isUuid(id) ? await mails.findOf(visit.client.id, id) : undefined
    if (found === undefined) return undefined
    const say = words[visit.language]
    const mayResend = config.smtpUrl !== null && visit.may('event.resend') && isStuck(found)
    const text = visit.may('number.read') ? found.textBody : maskPrivate(found.textBody)
    return detailScreen(visit, 'mails', {
      title: found.subject,
      aside: mailState(visit, found.state),
      body: html`<section class="card">${mailFacts(visit, found)}
${
  mayResend &&
  html`<form method="post" action="/dashboard/developers/mails/${id}/resend">${tokenField(visit)}
<button class="second">${say.again}</button></form>`
}</section>
<section class="card"><pre tabindex="0">${text}</pre></section>`,
    })
  })
}
