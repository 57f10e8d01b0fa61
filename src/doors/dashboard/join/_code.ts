import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { roleNames } from '#merchants/people/rights.ts'
import type { Session } from '#merchants/people/sessions/sessions.ts'
import type { OpenInvitation } from '#merchants/people/team/join.ts'
import type { DashboardContext } from '../context.ts'
import { facts } from '../frame/components.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { newPasswordField } from '../frame/password-field.ts'
import { problemsOf } from '../frame/problems.ts'
import { leadIn } from '../frame/signed-in.ts'
import { type Guest, originOf } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: (client: string) => fr`Rejoindre ${client}`,
    toOperators: fr`Rejoindre les opérateurs`,
    role: fr`Votre rôle`,
    invitedBy: fr`Invité par`,
    email: fr`Adresse e-mail`,
    name: fr`Votre nom`,
    go: fr`Accepter l'invitation`,
    signIn: fr`Se connecter pour accepter`,
    exists: fr`Cette adresse a déjà un compte : connectez-vous, puis acceptez.`,
    other: (
      email: string,
    ) => fr`Vous êtes connecté avec ${email}. Cette invitation est pour une autre
      adresse : déconnectez-vous d'abord.`,
    signOut: fr`Se déconnecter`,
    over: fr`Cette invitation n'est plus valable`,
    overText: fr`Elle a déjà servi, a été retirée, ou date de plus de sept jours. Demandez-en une
      autre.`,
  },
  en: {
    title: (client: string) => `Join ${client}`,
    toOperators: 'Join the operators',
    role: 'Your role',
    invitedBy: 'Invited by',
    email: 'Email address',
    name: 'Your name',
    go: 'Accept the invitation',
    signIn: 'Sign in to accept',
    exists: 'This address already has an account: sign in, then accept.',
    other: (email: string) =>
      `You are signed in as ${email}. This invitation is for another address: sign out first.`,
    signOut: 'Sign out',
    over: 'This invitation is no longer valid',
    overText: 'It was used, was withdrawn, or is older than seven days. Ask for another.',
  },
})

/** GET, POST /dashboard/join/:code: accepting an invitation to a client, or to the operators. */
export default function join(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts
  const tokenOf = (session: Session) =>
    people.forms.token({ sessionId: session.id, clientId: session.clientId, seen: {} })

  pages.guest('/dashboard/join/:code', async (guest, session) => {
    const invitation = await people.invitations.find(guest.part('code'))
    if (invitation === undefined) return over(guest)
    return screen(guest, invitation, wayIn(guest, invitation, session, tokenOf))
  })

  pages.guestAction('/dashboard/join/:code', async (guest, sent, reply, session) => {
    const code = guest.part('code')
    const { language } = guest
    const invitation = await people.invitations.find(code)
    if (invitation === undefined) return over(guest)
    try {
      if (invitation.person === undefined) {
        const password = sent.raw('password')
        const order = { code, name: sent.get('name'), password, language }
        const { person } = await people.invitations.acceptAsNew(order)
        const entered = await people.enter({ person, ...originOf(guest.request) })
        return leadIn(reply, isHttps, entered, guest, '/dashboard')
      }
      if (session?.personId !== invitation.person.id) return { to: guest.path }
      const { personId, id: sessionId } = session
      const { clientId } = await people.invitations.acceptAs({ code, personId })
      if (clientId === null) return { to: '/dashboard/ops' }
      await people.sessions.show({ sessionId, clientId })
      return { to: '/dashboard' }
    } catch (problem) {
      const problems = problemsOf(problem, language)
      const form = newForm(guest, invitation.email, sent.get('name'), problems)
      return { ...screen(guest, invitation, form), status: 422 }
    }
  })
}

/** What the reader can do: choose a password, sign in, accept, or sign out first. */
function wayIn(
  guest: Guest,
  { person, email }: OpenInvitation,
  session: Session | undefined,
  tokenOf: (session: Session) => string,
): Html {
  const { exists, signIn, go, other, signOut } = words[guest.language]
  const { path, language } = guest
  if (session !== undefined && session.personId !== person?.id)
    return html`<p class="notice">${other(session.email)}</p>
<form method="post" action="/dashboard/sign-out"><input type="hidden" name="token" value="${tokenOf(
      session,
    )}"><button class="second">${signOut}</button></form>`
  if (person === undefined) return newForm(guest, email, '', {})
  if (session === undefined)
    return html`<p>${exists}</p>
<p><a class="button" href="/dashboard/sign-in?lang=${language}&amp;then=${encodeURIComponent(
      path,
    )}">${signIn}</a></p>`
  return html`<form method="post" action="${path}"><button>${go}</button></form>`
}

function newForm({ path, language }: Guest, email: string, name: string, problems: Problems): Html {
  const { name: label, go } = words[language]
  const look = { autocomplete: 'name', isRequired: true, maxLength: 80 }
  return html`<form method="post" action="${path}?lang=${language}">
${problemList(language, problems)}
${field({ name: 'name', label, value: name, ...look }, problems)}
${newPasswordField(language, email, problems)}
<button>${go}</button></form>`
}

function screen({ language }: Guest, invitation: OpenInvitation, way: Piece): Screen {
  const { clientName, email, role, invitedBy } = invitation
  const texts = words[language]
  const title = clientName === null ? texts.toOperators : texts.title(clientName)
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1>
${facts([
  [texts.email, email],
  [texts.role, roleNames[language][role]],
  [texts.invitedBy, invitedBy],
])}
${way}</section>`,
  }
}

function over({ language }: Guest): Screen {
  const { over: title, overText } = words[language]
  return {
    title,
    status: 404,
    body: html`<section class="card"><h1>${title}</h1><p>${overText}</p></section>`,
  }
}
