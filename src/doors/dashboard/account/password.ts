import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import { deviceCookie, readCookie } from '../frame/cookies.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { newPasswordField } from '../frame/password-field.ts'
import { problemsOf } from '../frame/problems.ts'
import { type AnyVisit, originOf } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Changer le mot de passe`,
    lead: fr`Vos autres appareils seront déconnectés.`,
    before: fr`Mot de passe actuel`,
    save: 'Enregistrer',
    back: fr`Retour au compte`,
    saved: fr`Le mot de passe est changé. Vos autres appareils sont déconnectés.`,
    wrong: fr`Mot de passe incorrect.`,
  },
  en: {
    title: 'Change the password',
    lead: 'Your other devices will be signed out.',
    before: 'Current password',
    save: 'Save',
    back: 'Back to the account',
    saved: 'The password is changed. Your other devices are signed out.',
    wrong: 'Incorrect password.',
  },
})

/** GET, POST /dashboard/account/password */
export default function password(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts

  pages.screen('/dashboard/account/password', 'account.change', (visit) => form(visit, {}))

  pages.action(
    '/dashboard/account/password',
    { action: 'account.change', reviewed: null },
    async (visit, sent) => {
      const { request, session, language } = visit
      const { network } = originOf(request)
      const device = readCookie(request, deviceCookie(isHttps))
      const change = {
        personId: session.personId,
        before: sent.raw('old-password'),
        password: sent.raw('password'),
        keptSession: session.id,
        network,
        device,
      }
      const { wrong, saved } = words[language]
      try {
        const isChanged = await people.passwords.change(change)
        if (!isChanged) return form(visit, { 'old-password': wrong })
      } catch (problem) {
        return form(visit, problemsOf(problem, language))
      }
      return { to: '/dashboard/account', text: saved }
    },
  )
}

function form(visit: AnyVisit, problems: Problems): Screen {
  const { title, lead, before, save, back } = words[visit.language]
  const look = { type: 'password', autocomplete: 'current-password', isRequired: true }
  return {
    title,
    section: 'account',
    body: html`<div class="head"><h1>${title}</h1></div>
<form class="card" method="post" action="/dashboard/account/password">${tokenField(visit)}
<p class="hint">${lead}</p>
${problemList(visit.language, problems)}
${field({ name: 'old-password', label: before, ...look }, problems)}
${newPasswordField(visit.language, visit.session.email, problems)}
<p class="ways"><button>${save}</button>
<a class="button second" href="/dashboard/account">${back}</a></p></form>`,
  }
}
