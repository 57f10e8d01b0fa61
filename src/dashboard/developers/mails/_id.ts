import { maskPrivate } from '../../../http/kept-requests.ts'
import { html } from '../../../kit/html.ts'
import { isUuid } from '../../../kit/ids.ts'
import { findMailOfClient } from '../../../mail/store.ts'
import { fr } from '../../../pages/typography.ts'
import type { DashboardContext } from '../../context.ts'
import { facts, moment } from '../../frame/components.ts'
import { tokenField } from '../../frame/layout.ts'
import type { Pages } from '../../frame/pages.ts'
import { inBoth } from '../../frame/words.ts'
import { mailState } from '../mails.ts'
import { detailScreen } from '../tabs.ts'

const words = inBoth({
  fr: {
    to: fr`À`,
    made: fr`Créé`,
    sent: fr`Envoyé`,
    tries: 'Essais',
    next: 'Prochain essai',
    problem: fr`Problème`,
    again: fr`Envoyer à nouveau`,
  },
  en: {
    to: 'To',
    made: 'Created',
    sent: 'Sent',
    tries: 'Tries',
    next: 'Next try',
    problem: 'Problem',
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
    const mayResend =
      config.smtpUrl !== null &&
      visit.may('event.resend') &&
      ['kept', 'failed'].includes(found.state)
    const text = visit.may('number.read') ? found.textBody : maskPrivate(found.textBody)
    return detailScreen(visit, 'mails', {
      title: found.subject,
      aside: mailState(visit, found.state),
      body: html`<section class="card">${facts([
        [say.to, html`<bdi>${found.recipient}</bdi>`],
        [say.made, moment(visit, found.createdAt)],
        [say.sent, found.sentAt && moment(visit, found.sentAt)],
        [say.tries, found.tries],
        [say.next, found.dueAt && moment(visit, found.dueAt)],
        [say.problem, found.problem],
      ])}
${
  mayResend &&
  html`<form method="post" action="/dashboard/developers/mails/${id}/resend">${tokenField(visit)}
<button class="second">${say.again}</button></form>`
}</section>
<section class="card"><pre tabindex="0">${text}</pre></section>`,
    })
  })
}
