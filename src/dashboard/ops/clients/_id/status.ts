import { changeClient } from '../../../../clients/clients.ts'
import { merchantStatuses } from '../../../../clients/store.ts'
import { html } from '../../../../kit/html.ts'
import { fr } from '../../../../pages/typography.ts'
import type { DashboardContext } from '../../../context.ts'
import { tokenField } from '../../../frame/layout.ts'
import type { Pages } from '../../../frame/pages.ts'
import { inBoth } from '../../../frame/words.ts'
import { clientDetail, clientHref, clientOf, clientState, clientWords } from '../client-screen.ts'

const words = inBoth({
  fr: {
    title: fr`Changer l'état`,
    what: {
      active: fr`Le marchand peut à nouveau créer des liens de paiement et des points de vente,
        et ses liens ouverts peuvent être payés.`,
      suspended: fr`Ses liens ne peuvent plus être payés, il ne peut créer ni lien ni point de
        vente. Ses clés servent toujours pour le reste : pour les arrêter, fermez ses services ou
        révoquez ses clés.`,
      pending: fr`Comme suspendu, pour un marchand dont le dossier n'est pas complet.`,
    },
    go: { active: 'Activer', suspended: 'Suspendre', pending: 'Mettre en attente' },
    done: (state: string) => fr`Le nouvel état est : ${state}.`,
  },
  en: {
    title: 'Change the state',
    what: {
      active:
        'It can create payment links and sub-merchants again, and its open links can be paid.',
      suspended: `Its links can no longer be paid, and it can create neither links nor
        sub-merchants. Its keys still serve for everything else: to stop these, close its services
        or revoke its keys.`,
      pending: 'As suspended, for a client whose papers are not complete.',
    },
    go: { active: 'Activate', suspended: 'Suspend', pending: 'Set to pending' },
    done: (state: string) => `The new state is: ${state}.`,
  },
})

/** GET, POST /dashboard/ops/clients/:id/status: whether a client may act as a merchant */
export default function status(pages: Pages, { db, clock }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/status', 'ops.clients.change', async (visit) => {
    const client = await clientOf(db, visit)
    if (client === undefined) return undefined
    const { title, what, go } = words[visit.language]
    const others = merchantStatuses.filter((one) => one !== client.merchantStatus)
    const body = html`<div class="columns">${others.map(
      (one) => html`<form class="card" method="post" action="${visit.path}"><p>${what[one]}</p>
${tokenField(visit)}
<button class="${one === 'active' ? '' : 'danger'}" name="status" value="${one}">${go[one]}</button>
</form>`,
    )}</div>`
    const aside = clientState(visit, client.merchantStatus)
    return clientDetail(visit, client, { tab: 'overview', title, body, aside })
  })

  pages.action(
    '/dashboard/ops/clients/:id/status',
    { action: 'ops.clients.change', isSensitive: true },
    async (visit, form) => {
      const client = await clientOf(db, visit)
      const merchantStatus = merchantStatuses.find((one) => one === form.get('status'))
      if (client === undefined || merchantStatus === undefined) return undefined
      const { id } = client
      await changeClient(db, clock, { id, change: { merchantStatus }, actor: visit.actor })
      const state = clientWords[visit.language].states[merchantStatus]
      return { to: clientHref(id), text: words[visit.language].done(state) }
    },
  )
}
