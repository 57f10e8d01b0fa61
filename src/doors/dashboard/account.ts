import { html } from '#base/kit/html.ts'
import { languages } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { roleNames } from '#merchants/people/rights.ts'
import type { DashboardContext } from './context.ts'
import { breakable, facts } from './frame/components.ts'
import { field, languageField, type Problems, problemList } from './frame/fields.ts'
import { type Screen, tokenField } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import type { AnyVisit } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'Mon compte',
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    name: 'Nom',
    language: 'Langue',
    save: 'Enregistrer',
    saved: fr`C'est enregistré.`,
    nameless: fr`Saisissez un nom.`,
    safety: fr`Sécurité`,
    password: fr`Changer le mot de passe`,
    factor: fr`Validation en deux étapes`,
    on: fr`activée`,
    off: fr`désactivée`,
    passkeys: fr`Clés d'accès`,
    sessions: fr`Appareils connectés`,
  },
  en: {
    title: 'My account',
    email: 'Email address',
    role: 'Role',
    name: 'Name',
    language: 'Language',
    save: 'Save',
    saved: 'Saved.',
    nameless: 'Enter a name.',
    safety: 'Security',
    password: 'Change the password',
    factor: 'Two-step verification',
    on: 'on',
    off: 'off',
    passkeys: 'Passkeys',
    sessions: 'Signed-in devices',
  },
})

/** GET, POST /dashboard/account: the person's own name and language, and ways to the rest. */
export default function account(pages: Pages, { people }: DashboardContext): void {
  const show = async (visit: AnyVisit, name: string, problems: Problems): Promise<Screen> => {
    const [factor, sessions] = await Promise.all([
      people.factors.stateOf(visit.session.personId),
      people.sessions.list(visit.session.personId),
    ])
    return screen(visit, { name, ...factor, sessions: sessions.length }, problems)
  }

  pages.screen('/dashboard/account', 'account.change', (visit) =>
    show(visit, visit.session.personName, {}),
  )

  pages.action(
    '/dashboard/account',
    { action: 'account.change', reviewed: null },
    async (visit, form) => {
      const { personId, email, language: before } = visit.session
      const name = form.get('name')
      const language = languages.find((one) => one === form.get('language')) ?? before
      const { saved } = words[language]
      if (name === '') return show(visit, name, { name: words[visit.language].nameless })
      await people.setName({ personId, email, name })
      await people.setLanguage({ personId, language })
      return { to: '/dashboard/account', text: saved }
    },
  )
}

interface Shown {
  name: string
  hasApp: boolean
  passkeys: number
  sessions: number
}

function screen(visit: AnyVisit, shown: Shown, problems: Problems): Screen {
  const { name, hasApp, passkeys, sessions } = shown
  const texts = words[visit.language]
  const { language, role, session } = visit
  return {
    title: texts.title,
    section: 'account',
    body: html`<div class="head"><h1>${texts.title}</h1></div>
<div class="columns"><form class="card" method="post" action="/dashboard/account">${tokenField(
      visit,
    )}${problemList(language, problems)}
${facts([
  [texts.email, breakable(session.email)],
  [texts.role, roleNames[language][role]],
])}
${field(
  { name: 'name', label: texts.name, value: name, autocomplete: 'name', maxLength: 80 },
  problems,
)}
${languageField(texts.language, language)}
<button>${texts.save}</button></form>
<section class="card"><h2>${texts.safety}</h2>
<ul class="list"><li><a href="/dashboard/account/password">${texts.password}</a></li>
<li><a href="/dashboard/account/second-factor">${texts.factor}</a> (${
      hasApp ? texts.on : texts.off
    })</li>
<li><a href="/dashboard/account/passkeys">${texts.passkeys}</a> (${passkeys})</li>
<li><a href="/dashboard/account/sessions">${texts.sessions}</a> (${sessions})</li></ul></section>
</div>`,
  }
}
