import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import type { Invitation } from '../../people/code-store.ts'
import { roleNames } from '../../people/mails.ts'
import type { Operator } from '../../people/operator-store.ts'
import { operatorRoles } from '../../people/rights.ts'
import type { DashboardContext } from '../context.ts'
import { facts, label, moment } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'

const words = inBoth({
  fr: {
    title: fr`Opérateurs`,
    invite: 'Inviter',
    person: 'Personne',
    email: fr`Adresse e-mail`,
    role: fr`Rôle`,
    factor: fr`Deuxième étape`,
    on: fr`activée`,
    off: fr`désactivée`,
    seen: fr`Dernière visite`,
    never: 'jamais',
    you: 'vous',
    change: 'Modifier',
    open: fr`Invitations en attente`,
    until: fr`Valable jusqu'au`,
    by: fr`Invité par`,
    withdraw: 'Retirer',
    rights: fr`Ce que chaque rôle permet`,
    rightsOf: {
      operator: fr`Tout, aussi nommer et retirer des opérateurs.`,
      'finance-operator': fr`L'argent : proposer et approuver, décider d'une transaction, limites.`,
      'support-operator': fr`Voir, renvoyer, interroger. Les numéros sont masqués.`,
      auditor: fr`Voir tout, aussi le journal, sans rien changer.`,
    },
  },
  en: {
    title: 'Operators',
    invite: 'Invite',
    person: 'Person',
    email: 'Mail address',
    role: 'Role',
    factor: 'Second step',
    on: 'on',
    off: 'off',
    seen: 'Last visit',
    never: 'never',
    you: 'you',
    change: 'Change',
    open: 'Open invitations',
    until: 'Valid until',
    by: 'Invited by',
    withdraw: 'Withdraw',
    rights: 'What each role allows',
    rightsOf: {
      operator: 'Everything, also making and unmaking operators.',
      'finance-operator': 'Money: propose and approve, decide on a transaction, limits.',
      'support-operator': 'See, send again, ask providers. Numbers are masked.',
      auditor: 'See everything, also the audit log, and change nothing.',
    },
  },
})

/** GET /dashboard/ops/users: the operators and who is invited */
export default function users(pages: Pages, { people }: DashboardContext): void {
  pages.screen('/dashboard/ops/users', 'ops.read', async (visit) => {
    const { title, invite, rights, rightsOf } = words[visit.language]
    const mayChange = visit.may('ops.users.change')
    const operators = await people.operators.list()
    const open = mayChange ? await people.operators.invitations() : []
    const names = roleNames[visit.language]
    return {
      title,
      section: 'users',
      body: html`<div class="head"><h1>${title}</h1>${
        mayChange &&
        html`<p class="ways"><a class="button" href="/dashboard/ops/users/invite">${invite}</a></p>`
      }</div>
${operatorTable(visit, operators)}
${open.length > 0 && invitationTable(visit, open)}
<details class="card"><summary>${rights}</summary>${facts(
        operatorRoles.map((role) => [names[role], rightsOf[role]]),
      )}</details>`,
    }
  })
}

const personPath = 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM5 20a7 7 0 0 1 14 0'

function operatorTable(visit: OpsVisit, operators: Operator[]): Html {
  const texts = words[visit.language]
  const names = roleNames[visit.language]
  const change = ({ personId, name }: Operator) =>
    html`<a href="/dashboard/ops/users/${personId}">${texts.change}<span class="unseen"> ${
      name
    }</span></a>`
  return table(
    operators,
    [
      {
        name: texts.person,
        isTitle: true,
        cell: ({ name, personId }) =>
          html`<span><bdi>${name}</bdi>${
            personId === visit.session.personId && html` (${texts.you})`
          }</span>`,
      },
      { name: texts.email, cell: ({ email }) => html`<bdi>${email}</bdi>` },
      { name: texts.role, cell: ({ role }) => label('quiet', names[role], personPath) },
      { name: texts.factor, cell: (one) => (one.hasSecondFactor ? texts.on : texts.off) },
      {
        name: texts.seen,
        cell: ({ lastSeenAt: at }) => (at === null ? texts.never : moment(visit, at)),
      },
      ...(visit.may('ops.users.change') ? [{ name: '', cell: change }] : []),
    ],
    { caption: texts.title },
  )
}

function invitationTable(visit: OpsVisit, open: Invitation[]): Html {
  const texts = words[visit.language]
  const names = roleNames[visit.language]
  const withdraw = ({ id, email }: Invitation) =>
    html`<form method="post" action="/dashboard/ops/users/invitations/${id}">${tokenField(visit)}
<button class="link">${texts.withdraw}<span class="unseen"> ${email}</span></button></form>`
  const rows = table(
    open,
    [
      { name: texts.email, isTitle: true, cell: ({ email }) => html`<bdi>${email}</bdi>` },
      { name: texts.role, cell: ({ role }) => names[role] },
      { name: texts.by, cell: ({ invitedBy }) => html`<bdi>${invitedBy}</bdi>` },
      { name: texts.until, cell: ({ expiresAt }) => moment(visit, expiresAt) },
      { name: '', cell: withdraw },
    ],
    { caption: texts.open },
  )
  return html`<h2>${texts.open}</h2>${rows}`
}
