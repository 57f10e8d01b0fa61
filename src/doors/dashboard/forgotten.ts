import { html } from '#base/kit/html.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from './context.ts'
import { field, type Problems, problemList } from './frame/fields.ts'
import type { Screen } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import { type Guest, originOf } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Mot de passe oublié`,
    lead: fr`Nous vous envoyons un lien pour en choisir un nouveau.`,
    email: fr`Adresse e-mail`,
    go: 'Envoyer le lien',
    invalid: fr`Saisissez une adresse e-mail.`,
    sent: fr`Consultez vos e-mails`,
    sentText: fr`Si un compte existe pour cette adresse, un e-mail y arrivera bientôt. Le lien est
      valable une heure. Regardez aussi dans les indésirables.`,
    noMail: fr`Aucun e-mail ne peut partir d'ici`,
    noMailText: fr`Cette passerelle n'a pas de serveur d'e-mail. Demandez le lien à ceux qui
      l'exploitent : si cette adresse a un compte, il les attend, et il est valable 24 heures.`,
    lastWay: fr`Cette passerelle ne peut pas envoyer d'e-mail. Ceux qui l'exploitent vous donneront
      le lien.`,
    ask: 'Demander le lien',
    back: fr`Retour à la connexion`,
  },
  en: {
    title: 'Forgotten password',
    lead: 'We will send you a link to choose a new one.',
    email: 'Email address',
    go: 'Send the link',
    invalid: 'Enter an email address.',
    sent: 'Check your email',
    sentText:
      'If there is an account for this address, an email will arrive soon. The link is valid for ' +
      'an hour. Check your spam folder too.',
    noMail: 'No email can be sent from here',
    noMailText:
      'This gateway has no mail server. Ask its operator for the link: if there is an account ' +
      'for this address, the operator has it, and it is valid for 24 hours.',
    lastWay: 'This gateway cannot send email. Its operator will give you the link.',
    ask: 'Ask for the link',
    back: 'Back to sign-in',
  },
})

/** GET, POST /dashboard/forgotten: a mail with which a person chooses a new password. */
export default function forgotten(pages: Pages, { people, config }: DashboardContext): void {
  const hasMail = config.smtpUrl !== null
  pages.guest('/dashboard/forgotten', (guest) =>
    guest.query.sent === undefined ? form(guest, hasMail, '', {}) : sent(guest, hasMail),
  )

  pages.guestAction('/dashboard/forgotten', (guest, given) => {
    const email = given.get('email')
    const { invalid } = words[guest.language]
    if (!isMailAddress(email))
      return { ...form(guest, hasMail, email, { email: invalid }), status: 422 }
    people.passwords.forget({ email, ...originOf(guest.request) })
    return { to: `/dashboard/forgotten?sent&lang=${guest.language}` }
  })
}

function form({ language }: Guest, hasMail: boolean, email: string, problems: Problems): Screen {
  const { title, lead, lastWay, email: label, go, ask, back } = words[language]
  const look = { type: 'email', autocomplete: 'username', isRequired: true }
  return {
    title,
    body: html`<form class="card" method="post" action="/dashboard/forgotten?lang=${language}">
<h1>${title}</h1><p class="hint">${hasMail ? lead : lastWay}</p>
${problemList(language, problems)}
${field({ name: 'email', label, value: email, ...look }, problems)}
<button>${hasMail ? go : ask}</button>
<p><a href="/dashboard/sign-in?lang=${language}">${back}</a></p></form>`,
  }
}

function sent({ language }: Guest, hasMail: boolean): Screen {
  const { back, ...say } = words[language]
  const title = hasMail ? say.sent : say.noMail
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1>
<p>${hasMail ? say.sentText : say.noMailText}</p>
<p><a href="/dashboard/sign-in?lang=${language}">${back}</a></p></section>`,
  }
}
