import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import { proofCookie, readCookie, sessionCookie } from '../frame/cookies.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { passkeyForm } from '../frame/passkey-form.ts'
import { keptQuery, leadIn, ownAddress } from '../frame/signed-in.ts'
import { type Guest, originOf } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Validation en deux étapes`,
    lead: fr`Ouvrez votre application de codes et saisissez le code de Passerelle. Téléphone perdu ?
      Saisissez un de vos codes de secours.`,
    code: 'Code',
    go: 'Continuer',
    passkey: fr`Utiliser une clé d'accès`,
    recovery: fr`Appareil perdu ? Saisissez un de vos codes de secours.`,
    wrongKey: fr`Cette clé d'accès n'a pas été reconnue. Essayez encore.`,
    again: fr`Recommencer`,
    wrong: fr`Code incorrect ou déjà utilisé. Attendez le suivant.`,
    tooMany: fr`Trop de tentatives. Attendez 15 minutes.`,
  },
  en: {
    title: 'Two-step verification',
    lead:
      'Open your authenticator app and enter its code for Passerelle. Lost your phone? ' +
      'Enter one of your recovery codes.',
    code: 'Code',
    go: 'Continue',
    passkey: 'Use a passkey',
    recovery: 'Lost your device? Enter one of your recovery codes.',
    wrongKey: 'This passkey was not recognised. Try again.',
    again: 'Start again',
    wrong: 'Incorrect or already used code. Wait for the next one.',
    tooMany: 'Too many attempts. Wait 15 minutes.',
  },
})

/** GET, POST /dashboard/sign-in/code: the second step, with a code or a passkey. */
export default function code(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts
  const proofOf = ({ request }: Guest) => readCookie(request, proofCookie(isHttps)) ?? ''

  async function show(guest: Guest, problems: Problems, status = 200) {
    const offer = await people.offerSecondStep(proofOf(guest))
    if (offer === undefined) return { to: '/dashboard/sign-in' }
    return { ...screen(guest, offer, problems), status }
  }

  pages.guest('/dashboard/sign-in/code', (guest) => show(guest, {}))

  pages.guestAction('/dashboard/sign-in/code', async (guest, sent, reply) => {
    const origin = originOf(guest.request)
    const given = { code: sent.get('code'), credential: sent.raw('credential') }
    const result = await people.takeSecondStep({ proof: proofOf(guest), ...given, ...origin })
    const { wrong, wrongKey, tooMany } = words[guest.language]
    if (result.kind === 'over') return { to: '/dashboard/sign-in' }
    if (result.kind === 'too many') return show(guest, { '': tooMany }, 429)
    if (result.kind === 'wrong')
      return show(guest, given.credential === '' ? { code: wrong } : { '': wrongKey }, 422)
    const before = readCookie(guest.request, sessionCookie(isHttps))
    if (before !== undefined) await people.sessions.end(before)
    return leadIn(reply, isHttps, result, guest, ownAddress(guest.query.then))
  })
}

function screen(
  guest: Guest,
  { hasApp, passkey }: { hasApp: boolean; passkey: object | null },
  problems: Problems,
): Screen {
  const { language } = guest
  const { title, lead, code: label, go, again, recovery, ...texts } = words[language]
  const action = `/dashboard/sign-in/code${keptQuery(guest)}`
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1>
${problemList(language, problems)}
${passkey !== null && passkeyForm(language, { action, options: passkey, button: texts.passkey })}
<form method="post" action="${action}">
<p class="hint">${hasApp ? lead : recovery}</p>
${field({ name: 'code', label, autocomplete: 'one-time-code', isRequired: true, maxLength: 20 })}
<button class="${passkey !== null && 'second'}">${go}</button>
</form><p><a href="/dashboard/sign-in">${again}</a></p></section>`,
  }
}
