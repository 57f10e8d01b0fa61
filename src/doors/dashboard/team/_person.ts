import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { roleNames, roles } from '#merchants/people/rights.ts'
import type { Member } from '#merchants/people/store.ts'
import type { DashboardContext } from '../context.ts'
import { breakable, facts, moment } from '../frame/components.ts'
import { field, problemList } from '../frame/fields.ts'
import type { Sent } from '../frame/form-page.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Fact } from '../frame/reviewed.ts'
import type { Visit } from '../frame/visit.ts'
import { givableRoles } from './invite.ts'

const words = inBoth({
  fr: {
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    since: fr`Membre depuis`,
    save: fr`Changer le rôle`,
    changed: fr`Le rôle a été modifié.`,
    remove: fr`Retirer de l'équipe`,
    removeText: fr`La personne perd aussitôt l'accès à ce marchand.`,
    removed: fr`La personne n'est plus dans l'équipe.`,
    back: fr`Retour à l'équipe`,
    fixed: fr`Seul un propriétaire peut changer un propriétaire.`,
  },
  en: {
    email: 'Email address',
    role: 'Role',
    since: 'Member since',
    save: 'Change the role',
    changed: 'The role was changed.',
    remove: 'Remove from the team',
    removeText: 'The person loses access to this merchant at once.',
    removed: 'The person is no longer in the team.',
    back: 'Back to the team',
    fixed: 'Only an owner can change an owner.',
  },
})

/** GET, POST /dashboard/team/:person: the role of one member. */
export default function member(pages: Pages, { people }: DashboardContext): void {
  const find = async (visit: Visit): Promise<Member | undefined> => {
    const members = await people.team.list(visit.client.id)
    return members.find(({ personId }) => personId === visit.part('person'))
  }

  pages.form(
    '/dashboard/team/:person',
    { action: 'team.change', isSensitive: true, find, facts: seenOf, show: screen },
    async (visit, form, found) => {
      const { client, role: actorRole, actor, language } = visit
      const { changed, removed } = words[language]
      const order = { clientId: client.id, personId: found.personId, actor, actorRole }
      if (form.get('what') === 'remove') {
        await people.team.remove(order)
        return { to: '/dashboard/team', text: removed }
      }
      const role = roles.find((one) => one === form.get('role')) ?? found.role
      await people.team.changeRole({ ...order, role })
      return { to: '/dashboard/team', text: changed }
    },
  )
}

/** What the forms show of a member. */
function seenOf({ language }: Visit, { personId, email, role }: Member): Fact[] {
  const texts = words[language]
  const names = roleNames[language]
  return [
    { name: 'person', label: texts.email, value: personId, show: () => breakable(email) },
    { name: 'now', label: texts.role, value: role, show: (one) => names[one as Member['role']] },
  ]
}

function screen(visit: Visit, one: Member, { problems }: Sent): Screen {
  const texts = words[visit.language]
  const action = `/dashboard/team/${one.personId}`
  const isFixed = one.role === 'owner' && !visit.may('owner.change')
  const options = givableRoles(visit)
  return {
    title: one.name,
    section: 'team',
    body: html`<div class="head"><h1><bdi>${one.name}</bdi></h1></div>
<section class="card">${problemList(visit.language, problems)}
${facts([
  [texts.email, breakable(one.email)],
  [texts.role, roleNames[visit.language][one.role]],
  [texts.since, moment(visit, one.createdAt)],
])}
${isFixed && html`<p class="hint">${texts.fixed}</p>`}
${
  !isFixed &&
  html`<form method="post" action="${action}">${tokenField(visit, seenOf(visit, one))}
${field({ name: 'role', label: texts.role, value: one.role, options }, problems)}
<button>${texts.save}</button></form>`
}</section>
${
  !isFixed &&
  html`<form class="card" method="post" action="${action}">${tokenField(visit, seenOf(visit, one))}
<p>${texts.removeText}</p>
<button class="danger" name="what" value="remove">${texts.remove}</button></form>`
}
<p class="back"><a href="/dashboard/team">${texts.back}</a></p>`,
  }
}
