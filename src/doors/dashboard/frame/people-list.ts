import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Invitation } from '#merchants/people/codes/store.ts'
import { type AnyRole, roleNames } from '#merchants/people/rights.ts'
import { breakable, facts, label, moment } from './components.ts'
import { tokenField } from './layout.ts'
import { type Column, table } from './table.ts'
import type { AnyVisit } from './visit.ts'

const words = inBoth({
  fr: {
    invite: 'Inviter',
    person: 'Personne',
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    seen: fr`Dernière visite`,
    never: 'jamais',
    you: 'vous',
    change: 'Modifier',
    open: fr`Invitations en attente`,
    until: fr`Valable jusqu'au`,
    by: fr`Invité par`,
    withdraw: 'Retirer',
    rights: fr`Ce que chaque rôle permet`,
  },
  en: {
    invite: 'Invite',
    person: 'Person',
    email: 'Email address',
    role: 'Role',
    seen: 'Last visit',
    never: 'never',
    you: 'you',
    change: 'Change',
    open: 'Open invitations',
    until: 'Valid until',
    by: 'Invited by',
    withdraw: 'Withdraw',
    rights: 'What each role allows',
  },
})

interface ListedPerson {
  personId: string
  name: string
  email: string
  role: AnyRole
  lastSeenAt: Date | null
}

interface PeopleList<Person> {
  title: string
  /** The address of the list: those of invitations and of each person begin with it. */
  path: string
  people: Person[]
  /** Empty for who may not change them. */
  invitations: Invitation[]
  mayChange: boolean
  /** Columns that only this list has. */
  more?: Column<Person>[]
  rightsOf: [role: AnyRole, text: string][]
}

/** People with their roles, who is invited, and what each role allows. */
export function peopleList<Person extends ListedPerson>(
  visit: AnyVisit,
  { title, path, people, invitations, mayChange, more = [], rightsOf }: PeopleList<Person>,
): Html {
  const say = words[visit.language]
  const names = roleNames[visit.language]
  const change: Column<Person> = {
    name: '',
    cell: ({ personId, name }) =>
      html`<a href="${path}/${personId}">${say.change}<span class="unseen"> ${name}</span></a>`,
  }
  const columns = [...personColumns(visit), ...more, seenColumn(visit)]
  return html`<div class="head"><h1>${title}</h1>${
    mayChange && html`<p class="ways"><a class="button" href="${path}/invite">${say.invite}</a></p>`
  }</div>
${table(people, mayChange ? [...columns, change] : columns, { caption: title })}
${invitations.length > 0 && invitationTable(visit, path, invitations)}
<details class="card"><summary>${say.rights}</summary>${facts(
    rightsOf.map(([role, text]) => [names[role], text]),
  )}</details>`
}

function personColumns({ language, session }: AnyVisit): Column<ListedPerson>[] {
  const say = words[language]
  return [
    {
      name: say.person,
      isTitle: true,
      cell: ({ name, personId }) =>
        html`<span><bdi>${name}</bdi>${
          personId === session.personId && html` (${say.you})`
        }</span>`,
    },
    { name: say.email, cell: ({ email }) => breakable(email) },
    { name: say.role, cell: ({ role }) => label(['quiet', 'person'], roleNames[language][role]) },
  ]
}

function seenColumn(visit: AnyVisit): Column<ListedPerson> {
  const { seen, never } = words[visit.language]
  return {
    name: seen,
    cell: ({ lastSeenAt: at }) => (at === null ? never : moment(visit, at)),
  }
}

function invitationTable(visit: AnyVisit, path: string, open: Invitation[]): Html {
  const say = words[visit.language]
  const rows = table(
    open,
    [
      { name: say.email, isTitle: true, cell: ({ email }) => breakable(email) },
      { name: say.role, cell: ({ role }) => roleNames[visit.language][role] },
      { name: say.by, cell: ({ invitedBy }) => html`<bdi>${invitedBy}</bdi>` },
      { name: say.until, cell: ({ expiresAt }) => moment(visit, expiresAt) },
      {
        name: '',
        cell: ({ id, email }) =>
          html`<form method="post" action="${path}/invitations/${id}">${tokenField(visit)}
<button class="link">${say.withdraw}<span class="unseen"> ${email}</span></button></form>`,
      },
    ],
    { caption: say.open },
  )
  return html`<h2>${say.open}</h2>${rows}`
}
