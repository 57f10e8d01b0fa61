import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { merchantStatuses } from '#merchants/clients/statuses.ts'
import type { Client } from '#merchants/clients/store.ts'
import {
  clientDetail,
  clientFact,
  clientHref,
  clientOf,
  clientState,
  clientWords,
} from '../client-screen.ts'

const words = inBoth({
  fr: {
    title: fr`Changer l'état`,
    what: {
      active: fr`Le marchand peut à nouveau encaisser, payer, créer des liens de paiement et des
        points de vente, et ses liens ouverts peuvent être payés.`,
      suspended: fr`Il ne peut plus rien commencer : ni encaissement, ni paiement, ni lien, ni
        point de vente, et ses liens ne peuvent plus être payés. Il peut consulter et rembourser
        ce qu'il a encaissé ; ce qui est en cours va à son terme.`,
      pending: fr`Comme suspendu, pour un marchand dont le dossier n'est pas complet ; dans un bac
        à sable il peut essayer d'encaisser.`,
    },
    go: { active: 'Activer', suspended: 'Suspendre', pending: 'Mettre en attente' },
    done: (state: string) => fr`Nouvel état : ${state}.`,
  },
  en: {
    title: 'Change state',
    what: {
      active: `It can collect, pay, and create payment links and sub-merchants again, and its open
        links can be paid.`,
      suspended: `It cannot start anything new: no collection, payment, link or sub-merchant, and
        its links can no longer be paid. It can view everything and refund what it collected; what
        is in progress is completed.`,
      pending: `Like suspended, for a merchant whose file is incomplete; in a sandbox it can try
        collections.`,
    },
    go: { active: 'Activate', suspended: 'Suspend', pending: 'Set to pending' },
    done: (state: string) => `New state: ${state}.`,
  },
})

/** GET, POST /dashboard/ops/clients/:id/status: whether a client may begin anything new */
export default function status(pages: Pages, { clients }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/clients/:id/status',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      find: (visit) => clientOf(clients, visit),
      facts: factsOf,
      show: screen,
    },
    async (visit, form, client) => {
      const merchantStatus = merchantStatuses.find((one) => one === form.get('status'))
      if (merchantStatus === undefined) return undefined
      const { id } = client
      const change = { merchantStatus }
      await clients.change({ id, change, from: client, actor: visit.actor })
      const state = clientWords[visit.language].states[merchantStatus]
      return { to: clientHref(id), text: words[visit.language].done(state) }
    },
  )
}

function screen(visit: OpsVisit, client: Client): Screen {
  const { title, what, go } = words[visit.language]
  const others = merchantStatuses.filter((one) => one !== client.merchantStatus)
  const body = html`<div class="columns">${others.map(
    (one) => html`<form class="card" method="post" action="${visit.path}"><p>${what[one]}</p>
${tokenField(visit, factsOf(visit, client))}
<button class="${one === 'active' ? '' : 'danger'}" name="status" value="${one}">${go[one]}</button>
</form>`,
  )}</div>`
  const aside = clientState(visit, client.merchantStatus)
  return clientDetail(visit, client, { tab: 'overview', title, body, aside })
}

function factsOf(visit: OpsVisit, client: Client): Fact[] {
  const { states, state } = clientWords[visit.language]
  const show = (value: Fact['value']) => states[value as Client['merchantStatus']]
  return [
    clientFact(visit, client),
    { name: 'status', label: state, value: client.merchantStatus, show },
  ]
}
