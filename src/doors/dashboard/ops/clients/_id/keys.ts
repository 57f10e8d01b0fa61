import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { keyTable } from '#doors/dashboard/developers/keys/key-parts.ts'
import { empty } from '#doors/dashboard/frame/components.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientHref, clientOf, clientScreen, clientWords } from '../client-screen.ts'

const words = inBoth({
  fr: { create: fr`Créer une clé`, none: fr`Aucune clé : ce marchand ne peut pas appeler l'API.` },
  en: { create: 'Create a key', none: 'No key: this merchant cannot call the API.' },
})

/** GET /dashboard/ops/clients/:id/keys */
export default function keys(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/keys', 'ops.read', async (visit) => {
    const client = await clientOf(clients, visit)
    if (client === undefined) return undefined
    const { create, none } = words[visit.language]
    const path = clientHref(client.id, 'keys')
    const all = await clients.keys.list(client.id)
    const caption = clientWords[visit.language].keys
    const body = html`${
      visit.may('ops.clients.change') &&
      html`<p class="ways"><a class="button" href="${path}/new">${create}</a></p>`
    }
${all.length === 0 ? empty(none) : keyTable(visit, all, path, caption)}`
    return clientScreen(visit, client, 'keys', body)
  })
}
