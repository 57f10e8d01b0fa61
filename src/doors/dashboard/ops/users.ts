import { fr, inBoth } from '#base/kit/texts.ts'
import { operatorRoles } from '#merchants/people/rights.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { peopleList } from '../frame/people-list.ts'

const words = inBoth({
  fr: {
    title: fr`Opérateurs`,
    factor: fr`Validation en deux étapes`,
    on: fr`activée`,
    off: fr`désactivée`,
    rightsOf: {
      operator: fr`Tout, y compris nommer et retirer des opérateurs.`,
      'finance-operator': fr`L'argent : proposer et approuver, décider d'une transaction, limites.`,
      'support-operator': fr`Voir, renvoyer, interroger. Les numéros sont masqués.`,
      auditor: fr`Voir tout, y compris le journal, sans rien changer.`,
    },
  },
  en: {
    title: 'Operators',
    factor: 'Two-step verification',
    on: 'on',
    off: 'off',
    rightsOf: {
      operator: 'Everything, including appointing and removing operators.',
      'finance-operator': 'Money: propose and approve, decide on a transaction, limits.',
      'support-operator': 'View, resend, ask providers. Numbers are masked.',
      auditor: 'View everything, including the audit log, without changing anything.',
    },
  },
})

/** GET /dashboard/ops/users: the operators and who is invited */
export default function users(pages: Pages, { people }: DashboardContext): void {
  pages.screen('/dashboard/ops/users', 'ops.read', async (visit) => {
    const { title, rightsOf, factor, on, off } = words[visit.language]
    const mayChange = visit.may('ops.users.change')
    return {
      title,
      section: 'users',
      body: peopleList(visit, {
        title,
        path: '/dashboard/ops/users',
        people: await people.operators.list(),
        invitations: mayChange ? await people.invitations.list(null) : [],
        mayChange,
        more: [{ name: factor, cell: (one) => (one.hasSecondFactor ? on : off) }],
        rightsOf: operatorRoles.map((role) => [role, rightsOf[role]]),
      }),
    }
  })
}
