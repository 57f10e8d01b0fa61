import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from './context.ts'
import { keyTable } from './developers/keys/key-parts.ts'
import { developerScreen } from './developers/tabs.ts'
import { empty } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'

const words = inBoth({
  fr: {
    keys: fr`Clés API`,
    about: fr`Un programme s'identifie avec une clé. Donnez-en une à chaque programme : vous pourrez
      en arrêter une sans toucher aux autres.`,
    create: fr`Créer une clé`,
    none: fr`Aucune clé. Créez-en une pour que votre programme puisse encaisser et payer.`,
  },
  en: {
    keys: 'API keys',
    about: `A program identifies itself with a key. Give each program its own: then one can be
      stopped without touching the others.`,
    create: 'Create a key',
    none: 'No key. Create one so that your program can collect and pay.',
  },
})

/** GET /dashboard/developers */
export default function developers(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/developers', 'developer.read', async (visit) => {
    const { keys, about, create, none } = words[visit.language]
    const all = await clients.keys.list(visit.client.id)
    const way = { href: '/dashboard/developers/keys/new', text: create }
    const mayCreate = visit.may('key.change')
    return developerScreen(
      visit,
      'keys',
      html`<div class="head"><div><h2>${keys}</h2><p class="hint">${about}</p></div>
${mayCreate && all.length > 0 && html`<a class="button" href="${way.href}">${way.text}</a>`}</div>
${all.length === 0 && empty(none, mayCreate ? way : undefined)}
${keyTable(visit, all, '/dashboard/developers/keys', keys)}`,
    )
  })
}
