import { fr, inBoth } from '#base/kit/texts.ts'
import { roles } from '#merchants/people/rights.ts'
import type { DashboardContext } from './context.ts'
import type { Pages } from './frame/pages.ts'
import { peopleList } from './frame/people-list.ts'

const words = inBoth({
  fr: {
    title: fr`Équipe`,
    rightsOf: {
      owner: fr`Tout, y compris nommer et retirer des propriétaires.`,
      admin: fr`Tout, sauf ce qui concerne les propriétaires.`,
      finance: fr`L'argent : payer, rembourser, exporter. Pas les clés.`,
      developer: fr`Les clés, les webhooks, les journaux. Ne peut pas envoyer d'argent.`,
      support: fr`Consulter et renvoyer. Les numéros sont masqués.`,
      viewer: fr`Consulter, sans rien modifier.`,
    },
  },
  en: {
    title: 'Team',
    rightsOf: {
      owner: 'Everything, including appointing and removing owners.',
      admin: 'Everything except managing owners.',
      finance: 'Money: pay, refund, export. No keys.',
      developer: 'Keys, webhooks, logs. Cannot send money out.',
      support: 'Can view and resend. Numbers are masked.',
      viewer: 'Can view, without changing anything.',
    },
  },
})

/** GET /dashboard/team: the people of the client and who is invited. */
export default function team(pages: Pages, { people }: DashboardContext): void {
  pages.screen('/dashboard/team', 'team.read', async (visit) => {
    const { title, rightsOf } = words[visit.language]
    const mayChange = visit.may('team.change')
    return {
      title,
      section: 'team',
      body: peopleList(visit, {
        title,
        path: '/dashboard/team',
        people: await people.team.list(visit.client.id),
        invitations: mayChange ? await people.invitations.list(visit.client.id) : [],
        mayChange,
        rightsOf: roles.map((role) => [role, rightsOf[role]]),
      }),
    }
  })
}
