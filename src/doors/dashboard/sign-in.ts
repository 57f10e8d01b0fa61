import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from './context.ts'
import { deviceCookie, readCookie, sessionCookie } from './frame/cookies.ts'
import { field, type Problems, problemList } from './frame/fields.ts'
import type { Screen } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import { keptQuery, leadIn, ownAddress } from './frame/signed-in.ts'
import { type Guest, originOf } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'Se connecter',
    lead: fr`Le tableau de bord de votre commerce.`,
    email: fr`Adresse e-mail`,
    password: fr`Mot de passe`,
    go: 'Se connecter',
    forgotten: fr`Mot de passe oublié ?`,
    passkey: fr`Utiliser une clé d'accès`,
    wrong: fr`Adresse e-mail ou mot de passe incorrect.`,
    tooMany: fr`Trop de tentatives. Attendez 15 minutes, ou choisissez un nouveau mot de passe.`,
    demo: fr`Comptes de démonstration : demo@passerelle.test, mot de passe « demo » ; pour
      l'exploitation, ops@passerelle.test, mot de passe « ops ».`,
  },
  en: {
    title: 'Sign in',
    lead: 'The dashboard of your business.',
    email: 'Email address',
    password: 'Password',
    go: 'Sign in',
    forgotten: 'Forgot your password?',
    passkey: 'Use a passkey',
    wrong: 'Incorrect email or password.',
    tooMany: 'Too many attempts. Wait 15 minutes, or choose a new password.',
    demo:
      'Demo accounts: demo@passerelle.test, password “demo”; ' +
      'for operations ops@passerelle.test, password “ops”.',
  },
})

/** GET, POST /dashboard/sign-in */
export default function signIn(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts
  const form = (guest: Guest, email: string, problems: Problems) =>
    screen(guest, { email, hasPasskeys: people.passkeys.isOffered() }, problems)

  pages.guest('/dashboard/sign-in', (guest, session) =>
    session === undefined ? form(guest, '', {}) : { to: ownAddress(guest.query.then) },
  )

  pages.guestAction('/dashboard/sign-in', async (guest, sent, reply) => {
    const email = sent.get('email')
    const origin = originOf(guest.request)
    const device = readCookie(guest.request, deviceCookie(isHttps))
    const password = sent.raw('password')
    const result = await people.signIn({ email, password, device, ...origin })
    const { wrong, tooMany } = words[guest.language]
    if (result.kind === 'too many') return { ...form(guest, email, { '': tooMany }), status: 429 }
    if (result.kind === 'wrong') return { ...form(guest, email, { email: wrong }), status: 422 }
    // Whoever was signed in before on this browser no longer is.
    const before = readCookie(guest.request, sessionCookie(isHttps))
    if (before !== undefined) await people.sessions.end(before)
    return leadIn(reply, isHttps, result, guest, ownAddress(guest.query.then))
  })
}

interface Shown {
  email: string
  hasPasskeys: boolean
}

function screen(guest: Guest, { email, hasPasskeys }: Shown, problems: Problems): Screen {
  const { title, lead, go, demo, forgotten, passkey, ...labels } = words[guest.language]
  const kept = keptQuery(guest)
  return {
    title,
    body: html`<form class="card" method="post" action="/dashboard/sign-in${kept}">
<h1>${title}</h1><p class="hint">${lead}</p>
${problemList(guest.language, problems)}
${field({
  name: 'email',
  label: labels.email,
  value: email,
  type: 'email',
  autocomplete: 'username',
  isRequired: true,
})}
${field({
  name: 'password',
  label: labels.password,
  type: 'password',
  autocomplete: 'current-password',
  isRequired: true,
})}
<button>${go}</button>
${
  hasPasskeys &&
  html`<p class="with-passkeys" hidden><a class="button second"
 href="/dashboard/sign-in/passkey${kept}" data-turbo-prefetch="false">${passkey}</a></p>`
}
<p><a href="/dashboard/forgotten?lang=${guest.language}">${forgotten}</a></p>
${guest.isSandbox && html`<p class="hint">${demo}</p>`}</form>`,
  }
}
