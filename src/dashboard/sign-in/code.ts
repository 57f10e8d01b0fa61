import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import type { DashboardContext } from '../context.ts'
import { proofCookie, readCookie, sessionCookie } from '../frame/cookies.ts'
import type { Problems } from '../frame/fields.ts'
import { field, problemList } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { leadIn, ownAddress } from '../frame/signed-in.ts'
import type { Guest } from '../frame/visit.ts'
import { originOf } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'

const words = inBoth({
  fr: {
    title: fr`Deuxième étape`,
    lead: fr`Ouvrez votre application de codes et saisissez le code de Passerelle. Téléphone perdu ?
      Saisissez un de vos codes de secours.`,
    code: 'Code',
    go: 'Continuer',
    again: fr`Recommencer`,
    wrong: fr`Ce code n'est pas le bon, ou il a déjà servi. Attendez le suivant.`,
    tooMany: fr`Trop d'essais. Attendez un quart d'heure.`,
  },
  en: {
    title: 'Second step',
    lead:
      'Open your authenticator app and enter its code for Passerelle. Lost your phone? ' +
      'Enter one of your recovery codes.',
    code: 'Code',
    go: 'Continue',
    again: 'Start again',
    wrong: 'This code is not right, or was used before. Wait for the next one.',
    tooMany: 'Too many attempts. Wait a quarter of an hour.',
  },
})

/** GET, POST /dashboard/sign-in/code: the code of the second factor. */
export default function code(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts
  const proofOf = ({ request }: Guest) => readCookie(request, proofCookie(isHttps)) ?? ''

  pages.guest('/dashboard/sign-in/code', async (guest) =>
    (await people.isProof(proofOf(guest))) ? form(guest, {}) : { to: '/dashboard/sign-in' },
  )

  pages.guestAction('/dashboard/sign-in/code', async (guest, sent, reply) => {
    const origin = originOf(guest.request)
    const result = await people.giveCode(proofOf(guest), sent.get('code'), origin)
    const { wrong, tooMany } = words[guest.language]
    if (result.kind === 'over') return { to: '/dashboard/sign-in' }
    if (result.kind === 'wrong') return { ...form(guest, { code: wrong }), status: 422 }
    if (result.kind === 'too many') return { ...form(guest, { '': tooMany }), status: 429 }
    const before = readCookie(guest.request, sessionCookie(isHttps))
    if (before !== undefined) await people.sessions.end(before)
    return leadIn(reply, isHttps, result, ownAddress(guest.query.then))
  })
}

function form({ language, query }: Guest, problems: Problems): Screen {
  const { title, lead, code: label, go, again } = words[language]
  const then = query.then === undefined ? '' : `?then=${encodeURIComponent(query.then)}`
  return {
    title,
    body: html`<form class="card" method="post" action="/dashboard/sign-in/code${then}">
<h1>${title}</h1><p class="hint">${lead}</p>
${problemList(language, problems)}
${field({ name: 'code', label, autocomplete: 'one-time-code', isRequired: true, maxLength: 20 })}
<button>${go}</button>
<p><a href="/dashboard/sign-in">${again}</a></p></form>`,
  }
}
