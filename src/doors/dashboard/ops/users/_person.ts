import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { breakable, facts } from '#doors/dashboard/frame/components.ts'
import { field, problemList } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { operatorRoles, raises, roleNames } from '#merchants/people/rights.ts'
import type { Operator } from '#merchants/people/team/operator-store.ts'
import { requestGrant } from './grant.ts'

const words = inBoth({
  fr: {
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    save: fr`Changer le rôle`,
    remove: fr`Retirer des opérateurs`,
    removeText: fr`La personne perd immédiatement l'accès à l'exploitation. Ses rôles chez des
      marchands restent.`,
    changed: fr`Le rôle a été modifié.`,
    removed: fr`Cette personne n'est plus opérateur.`,
    proposed: fr`Proposé. Une autre personne doit l'approuver.`,
    back: fr`Retour aux opérateurs`,
  },
  en: {
    email: 'Email address',
    role: 'Role',
    save: 'Change the role',
    remove: 'Remove from operators',
    removeText:
      'The person loses access to operations immediately. Their roles with merchants remain.',
    changed: 'The role was changed.',
    removed: 'This person is no longer an operator.',
    proposed: 'Proposed. Another person has to approve it.',
    back: 'Back to operators',
  },
})

/** GET, POST /dashboard/ops/users/:person: the role of an operator */
export default function person(pages: Pages, { people, approvals }: DashboardContext): void {
  const find = async (visit: OpsVisit) =>
    (await people.operators.list()).find(({ personId }) => personId === visit.part('person'))

  pages.form(
    '/dashboard/ops/users/:person',
    { action: 'ops.users.change', isSensitive: true, find, facts: seenOf, show: screen },
    async (visit, form, found) => {
      const { changed, removed, proposed } = words[visit.language]
      const isRemoved = form.get('what') === 'remove'
      const given = operatorRoles.find((one) => one === form.get('role')) ?? found.role
      const role = isRemoved ? null : given
      if (!isRemoved && raises(found.role, given)) {
        const to = { email: found.email, role: given }
        const asked = await requestGrant({ approvals }, visit, to, form.number)
        return asked.kind === 'proposed'
          ? { to: `/dashboard/ops/approvals/${asked.approval.id}`, text: proposed }
          : { to: '/dashboard/ops/users', text: changed }
      }
      await people.operators.setRole({ personId: found.personId, role, actor: visit.actor })
      return { to: '/dashboard/ops/users', text: isRemoved ? removed : changed }
    },
  )
}

/** What the forms show of an operator. */
function seenOf({ language }: OpsVisit, { personId, email, role }: Operator): Fact[] {
  const texts = words[language]
  const names = roleNames[language]
  return [
    { name: 'person', label: texts.email, value: personId, show: () => breakable(email) },
    { name: 'now', label: texts.role, value: role, show: (one) => names[one as Operator['role']] },
  ]
}

function screen(visit: OpsVisit, one: Operator, { problems }: Sent): Screen {
  const texts = words[visit.language]
  const names = roleNames[visit.language]
  const action = `/dashboard/ops/users/${one.personId}`
  const options = operatorRoles.map((role): [string, string] => [role, names[role]])
  return {
    title: one.name,
    section: 'users',
    body: html`<div class="head"><h1><bdi>${one.name}</bdi></h1></div>
<section class="card">${problemList(visit.language, problems)}
${facts([[texts.email, breakable(one.email)]])}
<form method="post" action="${action}">${tokenField(visit, seenOf(visit, one))}
${field({ name: 'role', label: texts.role, value: one.role, options }, problems)}
<button>${texts.save}</button></form></section>
<form class="card" method="post" action="${action}">${tokenField(visit, seenOf(visit, one))}
<p>${texts.removeText}</p>
<button class="danger" name="what" value="remove">${texts.remove}</button></form>
<p class="back"><a href="/dashboard/ops/users">${texts.back}</a></p>`,
  }
}
