import { html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import { isStuck, mailFacts, mailState } from '#doors/dashboard/frame/mail-parts.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { maskPrivate } from '#edge/requests/keep.ts'
import { noClient } from '#merchants/mail/states.ts'
import type { MailRow } from '#merchants/mail/store.ts'

const words = inBoth({
  fr: {
    back: 'E-mails',
    again: fr`Renvoyer`,
    hidden: fr`Le texte n'est pas affiché : il peut contenir un lien qui donne accès à un compte.`,
    erased: fr`Le texte a été effacé à l'envoi : un tel e-mail peut donner accès à un compte.`,
    shown: fr`Le lien a été affiché une fois, puis effacé.`,
    link: fr`Afficher le lien (une seule fois)`,
    linkHint: fr`Cet e-mail ne peut pas partir. Donnez le lien à son destinataire autrement, après
      avoir vérifié que c'est bien cette personne.`,
  },
  en: {
    back: 'Emails',
    again: 'Resend',
    hidden: 'The text is not shown: it may contain a link that gives access to an account.',
    erased: 'The text was erased when it was sent: such an email may give access to an account.',
    shown: 'The link was shown once, then erased.',
    link: 'Show the link (only once)',
    linkHint: en`This email cannot be sent. Give the link to its recipient in another way, after
        checking that it is really them.`,
  },
})

/** GET /dashboard/ops/mails/:id: its text alone, so that nothing of it runs or loads */
export default function mail(pages: Pages, { config, mails }: DashboardContext): void {
  pages.screen('/dashboard/ops/mails/:id', 'ops.read', async (visit) => {
    const id = visit.part('id')
    const found = isUuid(id) ? await mails.find(id) : undefined
    if (found === undefined) return undefined
    const say = words[visit.language]
    const isLinkKept =
      found.state === 'kept' &&
      found.clientId === noClient &&
      found.textBody !== '' &&
      visit.may('ops.users.change')
    const mayResend = config.smtpUrl !== null && visit.may('ops.mails.resend') && isStuck(found)
    return {
      title: found.subject,
      section: 'mails',
      body: html`<p class="back"><a href="/dashboard/ops/mails">${say.back}</a></p>
<div class="head"><h1><bdi>${found.subject}</bdi></h1>${mailState(visit, found.state)}</div>
<section class="card">${mailFacts(visit, found)}
${
  mayResend &&
  html`<form method="post" action="/dashboard/ops/mails/${id}/resend">${tokenField(visit)}
<button class="second">${say.again}</button></form>`
}</section>
<section class="card">${shownText(visit, found)}${
        isLinkKept &&
        html`<form method="post" action="/dashboard/ops/mails/${id}/link">${tokenField(visit)}
<p class="hint">${say.linkHint}</p><button class="second">${say.link}</button></form>`
      }</section>`,
    }
  })
}

/** Mails about accounts hold codes: whoever reads one could become that person. */
function shownText(visit: OpsVisit, { clientId, textBody, state }: MailRow) {
  const { hidden, erased, shown } = words[visit.language]
  if (textBody === '') return html`<p class="hint">${state === 'kept' ? shown : erased}</p>`
  if (clientId === noClient && !visit.isSandbox) return html`<p class="hint">${hidden}</p>`
  const text = visit.may('number.read') ? textBody : maskPrivate(textBody)
  return html`<pre tabindex="0">${text}</pre>`
}
