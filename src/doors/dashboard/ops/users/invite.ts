import { html } from '#base/kit/html.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { field, problemList } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { type OperatorRole, operatorRoles, raises, roleNames } from '#merchants/people/rights.ts'
import { requestGrant } from './grant.ts'

const words = inBoth({
  fr: {
    title: fr`Inviter un opérateur`,
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    go: fr`Envoyer l'invitation`,
    hint: fr`Un rôle qui permet d'approuver est d'abord proposé : une autre personne doit
      l'accepter.`,
    proposed: fr`Proposé. Une autre personne doit l'approuver ; l'invitation est alors prête.`,
    back: fr`Retour aux opérateurs`,
    sent: (email: string) =>
      fr`L'invitation a été envoyée à ${email}. Elle est valable sept jours.`,
    kept: (email: string) =>
      fr`Aucun serveur d'e-mail n'est configuré : donnez ce lien à ${email}.`,
    unsent: fr`L'invitation est créée, mais aucun e-mail ne peut partir : le lien est parmi les
      e-mails conservés. Sur le serveur : « passerelle mail list --state kept ».`,
  },
  en: {
    title: 'Invite an operator',
    email: 'Email address',
    role: 'Role',
    go: 'Send the invitation',
    hint: 'A role that may approve is proposed first: another person has to agree.',
    proposed: 'Proposed. Another person has to approve it; the invitation is then ready.',
    back: 'Back to operators',
    sent: (email: string) => `The invitation was sent to ${email}. It is valid for seven days.`,
    kept: (email: string) => `No mail server is configured: give this link to ${email}.`,
    unsent: en`The invitation is created, but no email can be sent: the link is among the stored
        emails. On the server: “passerelle mail list --state kept”.`,
  },
})

/** GET, POST /dashboard/ops/users/invite */
export default function invite(
  pages: Pages,
  { people, config, approvals }: DashboardContext,
): void {
  const { isSandbox } = pages.parts

  pages.form(
    '/dashboard/ops/users/invite',
    { action: 'ops.users.change', isSensitive: true, show: screen },
    async (visit, sent) => {
      const { actor, role: actorRole, session, language } = visit
      const email = sent.get('email')
      const role = roleIn(sent.get('role'))
      const inviter = { name: session.personName, language }
      const to = '/dashboard/ops/users'
      const { sent: text, kept, unsent, proposed } = words[language]
      const isSent = config.smtpUrl !== null
      const told = isSent ? { to, text: text(email) } : { to, text: unsent, tone: 'bad' as const }
      if (raises(null, role)) {
        const asked = await requestGrant({ approvals }, visit, { email, role }, sent.number)
        if (asked.kind === 'proposed')
          return { to: `/dashboard/ops/approvals/${asked.approval.id}`, text: proposed }
        return told
      }
      const order = { clientId: null, email, role, actor, actorRole, inviter }
      const link = await people.invitations.send(order)
      // Never in live mode: only who reads the mail of an address may join with it.
      if (isSandbox && !isSent) return { to, text: kept(email), secret: link }
      return told
    },
  )
}

function roleIn(text: string | undefined): OperatorRole {
  return operatorRoles.find((one) => one === text) ?? 'support-operator'
}

function screen(visit: OpsVisit, _none: undefined, { typed, problems }: Sent): Screen {
  const { title, go, back, hint, ...labels } = words[visit.language]
  const names = roleNames[visit.language]
  const options = operatorRoles.map((one): [string, string] => [one, names[one]])
  const look = { type: 'email', autocomplete: 'off', isRequired: true }
  return {
    title,
    section: 'users',
    body: html`<div class="head"><h1>${title}</h1></div>
<form class="card" method="post" action="/dashboard/ops/users/invite">${tokenField(visit)}
${problemList(visit.language, problems)}
${field({ name: 'email', label: labels.email, value: typed?.email ?? '', ...look }, problems)}
${field({ name: 'role', label: labels.role, value: roleIn(typed?.role), options, hint }, problems)}
<p class="ways"><button>${go}</button>
<a class="button second" href="/dashboard/ops/users">${back}</a></p></form>`,
  }
}
