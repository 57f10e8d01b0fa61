import { html } from '../kit/html.ts'
import { isMailAddress } from '../kit/mail-address.ts'
import { fr } from '../pages/typography.ts'
import type { DashboardContext } from './context.ts'
import type { Problems } from './frame/fields.ts'
import { field, problemList } from './frame/fields.ts'
import type { Screen } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import type { Guest } from './frame/visit.ts'
import { originOf } from './frame/visit.ts'
import { inBoth } from './frame/words.ts'

const words = inBoth({
  fr: {
    title: fr`Mot de passe oublié`,
    lead: fr`Nous vous envoyons un lien pour en choisir un nouveau.`,
    email: fr`Adresse e-mail`,
    go: 'Envoyer le lien',
    invalid: fr`Saisissez une adresse e-mail.`,
    sent: fr`Regardez votre courrier`,
    sentText: fr`Si cette adresse a un compte, un message y arrive bientôt. Le lien est valable une
      heure. Regardez aussi dans les indésirables.`,
    back: fr`Retour à la connexion`,
  },
  en: {
    title: 'Forgotten password',
    lead: 'We send you a link to choose a new one.',
    email: 'Mail address',
    go: 'Send the link',
    invalid: 'Enter a mail address.',
    sent: 'Look at your mail',
    sentText:
      'If this address has an account, a message arrives there soon. The link is valid for an ' +
      'hour. Look among your spam too.',
    back: 'Back to sign-in',
  },
})

/** GET, POST /dashboard/forgotten: a mail with which a person chooses a new password. */
export default function forgotten(pages: Pages, { people }: DashboardContext): void {
  pages.guest('/dashboard/forgotten', (guest) =>
    guest.query.sent === undefined ? form(guest, '', {}) : sent(guest),
  )

  pages.guestAction('/dashboard/forgotten', (guest, given) => {
    const email = given.get('email')
    const { invalid } = words[guest.language]
    if (!isMailAddress(email)) return { ...form(guest, email, { email: invalid }), status: 422 }
    people.forgetPassword(email, originOf(guest.request))
    return { to: `/dashboard/forgotten?sent&lang=${guest.language}` }
  })
}

function form({ language }: Guest, email: string, problems: Problems): Screen {
  const { title, lead, email: label, go, back } = words[language]
  const look = { type: 'email', autocomplete: 'username', isRequired: true }
  return {
    title,
    body: html`<form class="card" method="post" action="/dashboard/forgotten?lang=${language}">
<h1>${title}</h1><p class="hint">${lead}</p>
${problemList(language, problems)}
${field({ name: 'email', label, value: email, ...look }, problems)}
<button>${go}</button>
<p><a href="/dashboard/sign-in?lang=${language}">${back}</a></p></form>`,
  }
}

function sent({ language }: Guest): Screen {
  const { sent: title, sentText, back } = words[language]
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1><p>${sentText}</p>
<p><a href="/dashboard/sign-in?lang=${language}">${back}</a></p></section>`,
  }
}
