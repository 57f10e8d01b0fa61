import { maskPrivate } from '../../../http/kept-requests.ts'
import { html } from '../../../kit/html.ts'
import { isUuid } from '../../../kit/ids.ts'
import { findMailOfClient } from '../../../mail/store.ts'
import { fr } from '../../../pages/typography.ts'
import type { DashboardContext } from '../../context.ts'
import { tokenField } from '../../frame/layout.ts'
import { isStuck, mailFacts, mailState } from '../../frame/mail-parts.ts'
import type { Pages } from '../../frame/pages.ts'
import { inBoth } from '../../frame/words.ts'
import { detailScreen } from '../tabs.ts'

const words = inBoth({
  fr: {
    again: fr`Envoyer à nouveau`,
  },
  en: {
    again: 'Send again',
  },
})

/** GET /dashboard/developers/mails/:id: its text alone, so that nothing of it runs or loads. */
export default function mail(pages: Pages, { db, config }: DashboardContext): void {
  pages.screen('/dashboard/developers/mails/:id', 'developer.read', async (visit) => {
    const id = visit.part('id')
    const found = isUuid(id) ? await findMailOfClient(db, visit.client.id, id) : undefined
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
