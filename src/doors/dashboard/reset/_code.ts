import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import { type Problems, problemList } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { newPasswordField } from '../frame/password-field.ts'
import { problemsOf } from '../frame/problems.ts'
import { leadIn } from '../frame/signed-in.ts'
import { type Guest, originOf } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Choisir un mot de passe`,
    lead: (email: string) => fr`Pour le compte ${email}. Vous serez déconnecté partout ailleurs.`,
    go: 'Enregistrer et se connecter',
    over: fr`Ce lien n'est plus valable`,
    overText: fr`Il a déjà servi, ou il est trop ancien.`,
    again: fr`Demander un autre lien`,
  },
  en: {
    title: 'Choose a password',
    lead: (email: string) => `For the account ${email}. You will be signed out everywhere else.`,
    go: 'Save and sign in',
    over: 'This link is no longer valid',
    overText: 'It was used before, or is too old.',
    again: 'Ask for another link',
  },
})

/** GET, POST /dashboard/reset/:code: choosing a password with a code. */
export default function reset(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts

  pages.guest('/dashboard/reset/:code', async (guest) => {
    const person = await people.passwords.personOf(guest.part('code'))
    return person === undefined ? over(guest) : form(guest, person.email, {})
  })

  pages.guestAction('/dashboard/reset/:code', async (guest, sent, reply) => {
    const code = guest.part('code')
    const known = await people.passwords.personOf(code)
    if (known === undefined) return over(guest)
    try {
      const person = await people.passwords.choose({ code, password: sent.raw('password') })
      const entered = await people.enter({ person, ...originOf(guest.request) })
      return leadIn(reply, isHttps, entered, guest, '/dashboard')
    } catch (problem) {
      return { ...form(guest, known.email, problemsOf(problem, guest.language)), status: 422 }
    }
  })
}

function form({ language, path }: Guest, email: string, problems: Problems): Screen {
  const { title, lead, go } = words[language]
  return {
    title,
    body: html`<form class="card" method="post" action="${path}?lang=${language}">
<h1>${title}</h1><p class="hint">${lead(email)}</p>
${problemList(language, problems)}
${newPasswordField(language, email, problems)}
<button>${go}</button></form>`,
  }
}

function over({ language }: Guest): Screen {
  const { over: title, overText, again } = words[language]
  return {
    title,
    status: 404,
    body: html`<section class="card"><h1>${title}</h1><p>${overText}</p>
<p><a class="button" href="/dashboard/forgotten?lang=${language}">${again}</a></p></section>`,
  }
}
