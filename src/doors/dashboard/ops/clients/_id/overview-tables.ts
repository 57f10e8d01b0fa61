import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { breakable, moment } from '#doors/dashboard/frame/components.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { KeptRequest } from '#edge/requests/store.ts'
import { roleNames } from '#merchants/people/rights.ts'
import type { Member } from '#merchants/people/store.ts'

const words = inBoth({
  fr: {
    errors: fr`Requêtes refusées`,
    when: 'Date',
    request: fr`Requête`,
    status: fr`Réponse`,
    id: fr`Numéro`,
    people: 'Personnes',
    person: 'Personne',
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    seen: fr`Dernière visite`,
    never: 'jamais',
  },
  en: {
    errors: 'Refused requests',
    when: 'Date',
    request: 'Request',
    status: 'Answer',
    id: 'Id',
    people: 'People',
    person: 'Person',
    email: 'Email address',
    role: 'Role',
    seen: 'Last visit',
    never: 'never',
  },
})

/** Requests of a client that were refused, with what was wrong; numbers were masked when kept. */
export function errorTable(visit: OpsVisit, errors: KeptRequest[]): Html {
  const say = words[visit.language]
  return table(
    errors,
    [
      { name: say.when, cell: ({ at }) => moment(visit, at) },
      {
        name: say.request,
        isTitle: true,
        cell: ({ method, path, code, messages }) =>
          html`<div><code>${method} ${path}</code>
<small><b>${code}</b> ${(messages ?? '').split('\n').join(' · ')}</small></div>`,
      },
      { name: say.status, isNumeric: true, cell: ({ status }) => status },
      { name: say.id, cell: ({ requestId }) => html`<code>${requestId}</code>` },
    ],
    { caption: say.errors },
  )
}

/** The people of a client. */
export function peopleTable(visit: OpsVisit, members: Member[]): Html {
  const say = words[visit.language]
  const names = roleNames[visit.language]
  return table(
    members,
    [
      { name: say.person, isTitle: true, cell: ({ name }) => html`<bdi>${name}</bdi>` },
      { name: say.email, cell: ({ email }) => breakable(email) },
      { name: say.role, cell: ({ role }) => names[role] },
      {
        name: say.seen,
        cell: ({ lastSeenAt: at }) => (at === null ? say.never : moment(visit, at)),
      },
    ],
    { caption: say.people },
  )
}
