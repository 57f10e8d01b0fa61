import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Role, roleNames, roles } from '#merchants/people/rights.ts'
import type { DashboardContext } from '../context.ts'
import { field, problemList } from '../frame/fields.ts'
import type { Sent } from '../frame/form-page.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'Inviter une personne',
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    go: fr`Envoyer l'invitation`,
    back: fr`Retour à l'équipe`,
    sent: (email: string) =>
      fr`L'invitation a été envoyée à ${email}. Elle est valable sept jours.`,
    kept: (email: string) =>
      fr`Aucun serveur d'e-mail n'est configuré : donnez ce lien à ${email}.`,
    unsent: fr`L'invitation est créée, mais cette passerelle ne peut pas envoyer d'e-mail. Demandez
      le lien à ceux qui l'exploitent : il est valable sept jours.`,
  },
  en: {
    title: 'Invite a person',
    email: 'Email address',
    role: 'Role',
    go: 'Send the invitation',
    back: 'Back to the team',
    sent: (email: string) => `The invitation was sent to ${email}. It is valid for seven days.`,
    kept: (email: string) => `No mail server is configured: give this link to ${email}.`,
    unsent:
      'The invitation was created, but this gateway cannot send email. Ask its operator for the ' +
      'link: it is valid for seven days.',
  },
})

/** GET, POST /dashboard/team/invite */
export default function invite(pages: Pages, { people, config }: DashboardContext): void {
  const { isSandbox } = pages.parts

  pages.form(
    '/dashboard/team/invite',
    { action: 'team.change', isSensitive: true, show: screen },
    async (visit, sent) => {
      const { client, role: actorRole, actor, session, language } = visit
      const email = sent.get('email')
      const role = roleIn(sent.get('role'))
      const inviter = { name: session.personName, language }
      const order = { clientId: client.id, email, role, actor, actorRole, inviter }
      const link = await people.invitations.send(order)
      const { sent: text, kept, unsent } = words[language]
      const to = '/dashboard/team'
      if (config.smtpUrl !== null) return { to, text: text(email) }
      // Never in live mode: only who reads the mail of an address may join with it.
      return isSandbox ? { to, text: kept(email), secret: link } : { to, text: unsent, tone: 'bad' }
    },
  )
}

function roleIn(text: string | undefined): Role {
  return roles.find((one) => one === text) ?? 'viewer'
}

/** The roles that a person may give: only an owner makes owners. */
export function givableRoles(visit: Visit): [value: Role, text: string][] {
  return roles
    .filter((role) => role !== 'owner' || visit.may('owner.change'))
    .map((role) => [role, roleNames[visit.language][role]])
}

function screen(visit: Visit, _none: undefined, sent: Sent): Screen {
  const { typed = visit.query, problems } = sent
  const { title, go, back, ...labels } = words[visit.language]
  const options = givableRoles(visit)
  const look = { type: 'email', autocomplete: 'off', isRequired: true }
  return {
    title,
    section: 'team',
    body: html`<div class="head"><h1>${title}</h1></div>
<form class="card" method="post" action="/dashboard/team/invite">${tokenField(visit)}
${problemList(visit.language, problems)}
${field({ name: 'email', label: labels.email, value: typed.email ?? '', ...look }, problems)}
${field({ name: 'role', label: labels.role, value: roleIn(typed.role), options }, problems)}
<p class="ways"><button>${go}</button>
<a class="button second" href="/dashboard/team">${back}</a></p></form>`,
  }
}
