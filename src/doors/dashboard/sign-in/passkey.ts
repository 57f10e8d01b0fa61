import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import { readCookie, sessionCookie } from '../frame/cookies.ts'
import { type Problems, problemList } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { passkeyForm } from '../frame/passkey-form.ts'
import { keptQuery, leadIn, ownAddress } from '../frame/signed-in.ts'
import { type Guest, originOf } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Connexion par clé d'accès`,
    lead: fr`Votre appareil demande une empreinte, votre visage ou son code.`,
    go: 'Continuer',
    wrong: fr`Cette clé d'accès n'est pas connue ici, ou la page est restée ouverte trop longtemps.
      Essayez encore.`,
    busy: fr`Trop de tentatives depuis ce réseau. Attendez 15 minutes, ou utilisez le mot de
      passe.`,
    back: fr`Se connecter avec le mot de passe`,
  },
  en: {
    title: 'Sign in with a passkey',
    lead: 'Your device asks for your fingerprint, your face or its PIN.',
    go: 'Continue',
    wrong: 'This passkey is not known here, or the page was open for too long. Try again.',
    busy: 'Too many attempts from this network. Wait 15 minutes, or use the password.',
    back: 'Sign in with the password',
  },
})

/** GET, POST /dashboard/sign-in/passkey: signing in without a password */
export default function passkey(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts

  async function show(guest: Guest, problems: Problems): Promise<Screen> {
    const options = await people.passkeys.offerSignIn(originOf(guest.request).network)
    if (options !== null) return screen(guest, options, problems)
    return { ...screen(guest, null, { '': words[guest.language].busy }), status: 429 }
  }

  pages.guest('/dashboard/sign-in/passkey', (guest, session) => {
    if (session !== undefined) return { to: ownAddress(guest.query.then) }
    return people.passkeys.isOffered() ? show(guest, {}) : { to: '/dashboard/sign-in' }
  })

  pages.guestAction('/dashboard/sign-in/passkey', async (guest, sent, reply) => {
    const order = { credential: sent.raw('credential'), ...originOf(guest.request) }
    const result = await people.signInByPasskey(order)
    if (result.kind === 'wrong')
      return { ...(await show(guest, { '': words[guest.language].wrong })), status: 422 }
    const before = readCookie(guest.request, sessionCookie(isHttps))
    if (before !== undefined) await people.sessions.end(before)
    return leadIn(reply, isHttps, result, guest, ownAddress(guest.query.then))
  })
}

function screen(guest: Guest, options: object | null, problems: Problems): Screen {
  const { title, lead, go, back } = words[guest.language]
  const kept = keptQuery(guest)
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1><p class="hint">${lead}</p>
${problemList(guest.language, problems)}
${
  options !== null &&
  passkeyForm(guest.language, { action: `/dashboard/sign-in/passkey${kept}`, options, button: go })
}
<p><a href="/dashboard/sign-in${kept}">${back}</a></p></section>`,
  }
}
