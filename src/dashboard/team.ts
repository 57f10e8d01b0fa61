import { html } from '../kit/html.ts'
import { fr } from '../pages/typography.ts'
import type { Invitation } from '../people/code-store.ts'
import { roleNames } from '../people/mails.ts'
import type { Member } from '../people/store.ts'
import type { DashboardContext } from './context.ts'
import { label, moment } from './frame/components.ts'
import { tokenField } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import { table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'
import { inBoth } from './frame/words.ts'

const words = inBoth({
  fr: {
    title: fr`Équipe`,
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
    rightsOf: {
      owner: fr`Tout, aussi nommer et retirer des propriétaires.`,
      admin: fr`Tout, sauf ce qui concerne les propriétaires.`,
      finance: fr`L'argent : payer, rembourser, exporter. Pas les clés.`,
      developer: fr`Les clés, les webhooks, les journaux. Ne fait sortir aucun argent.`,
      support: fr`Voir et renvoyer. Les numéros sont masqués.`,
      viewer: fr`Voir, sans rien changer.`,
    },
  },
  en: {
    title: 'Team',
    invite: 'Invite',
    person: 'Person',
    email: 'Mail address',
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
    rightsOf: {
      owner: 'Everything, also making and unmaking owners.',
      admin: 'Everything but owners.',
      finance: 'Money: pay, refund, export. No keys.',
      developer: 'Keys, webhooks, logs. Moves no money out.',
      support: 'Sees and sends again. Numbers are masked.',
      viewer: 'Sees, and changes nothing.',
    },
  },
})

/** GET /dashboard/team: the people of the client and who is invited. */
export default function team(pages: Pages, { people }: DashboardContext): void {
  pages.screen('/dashboard/team', 'team.read', async (visit) => {
    const { title, invite, rights, rightsOf } = words[visit.language]
    const members = await people.membersOf(visit.client.id)
    const open = visit.may('team.change') ? await people.team.invitationsOf(visit.client.id) : []
    const names = roleNames[visit.language]
    return {
      title,
      section: 'team',
      body: html`<div class="head"><h1>${title}</h1>${
        visit.may('team.change') &&
        html`<p class="ways"><a class="button" href="/dashboard/team/invite">${invite}</a></p>`
      }</div>
${memberTable(visit, members)}
${open.length > 0 && invitationTable(visit, open)}
<details class="card"><summary>${rights}</summary><dl class="facts">${Object.entries(rightsOf).map(
        ([role, text]) =>
          html`<div><dt>${names[role as keyof typeof names]}</dt><dd>${text}</dd></div>`,
      )}</dl></details>`,
    }
  })
}

function memberTable(visit: Visit, members: Member[]) {
  const texts = words[visit.language]
  const mayChange = visit.may('team.change')
  const names = roleNames[visit.language]
  return table(
    members,
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
      { name: texts.role, cell: ({ role }) => label('quiet', names[role], rolePath) },
      {
        name: texts.seen,
        cell: ({ lastSeenAt: at }) => (at === null ? texts.never : moment(visit, at)),
      },
      ...(mayChange
        ? [
            {
              name: '',
              cell: ({ personId, name }: Member) =>
                html`<a href="/dashboard/team/${personId}">${texts.change}<span class="unseen"> ${
                  name
                }</span></a>`,
            },
          ]
        : []),
    ],
    { caption: texts.title },
  )
}

const rolePath = 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM5 20a7 7 0 0 1 14 0'

function invitationTable(visit: Visit, open: Invitation[]) {
  const texts = words[visit.language]
  const names = roleNames[visit.language]
  const rows = table(
    open,
    [
      { name: texts.email, isTitle: true, cell: ({ email }) => html`<bdi>${email}</bdi>` },
      { name: texts.role, cell: ({ role }) => names[role] },
      { name: texts.by, cell: ({ invitedBy }) => html`<bdi>${invitedBy}</bdi>` },
      { name: texts.until, cell: ({ expiresAt }) => moment(visit, expiresAt) },
      {
        name: '',
        cell: ({ id, email }) =>
          html`<form method="post" action="/dashboard/team/invitations/${id}">${tokenField(visit)}
<button class="link">${texts.withdraw}<span class="unseen"> ${email}</span></button></form>`,
      },
    ],
    { caption: texts.open },
  )
  return html`<h2>${texts.open}</h2>${rows}`
}
