import type { ListedKey } from '../clients/key-store.ts'
import { readKeys } from '../clients/key-store.ts'
import { html } from '../kit/html.ts'
import { fr } from '../pages/typography.ts'
import type { DashboardContext } from './context.ts'
import { keyState, keyWords, secretEnd } from './developers/keys/key-words.ts'
import { developerScreen } from './developers/tabs.ts'
import { empty, moment } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'
import type { Column } from './frame/table.ts'
import { table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'
import { inBoth } from './frame/words.ts'

const words = inBoth({
  fr: {
    keys: fr`Clés de l'interface`,
    about: fr`Un programme s'identifie avec une clé. Donnez-en une à chaque programme : vous pourrez
      en arrêter une sans toucher aux autres.`,
    create: fr`Créer une clé`,
    none: fr`Aucune clé. Créez-en une pour que votre programme puisse encaisser et payer.`,
  },
  en: {
    keys: 'Keys of the interface',
    about: `A program identifies itself with a key. Give each program its own: then one can be
      stopped without touching the others.`,
    create: 'Create a key',
    none: 'No key. Create one so that your program can collect and pay.',
  },
})

/** GET /dashboard/developers */
export default function developers(pages: Pages, { db }: DashboardContext): void {
  pages.screen('/dashboard/developers', 'developer.read', async (visit) => {
    const { keys, about, create, none } = words[visit.language]
    const all = await readKeys(db, visit.client.id)
    const sorted = all.toSorted((a, b) => Number(isRevoked(a)) - Number(isRevoked(b)))
    const way = { href: '/dashboard/developers/keys/new', text: create }
    const mayCreate = visit.may('key.change')
    return developerScreen(
      visit,
      'keys',
      html`<div class="head"><div><h2>${keys}</h2><p class="hint">${about}</p></div>
${mayCreate && html`<a class="button" href="${way.href}">${way.text}</a>`}</div>
${all.length === 0 && empty(none, mayCreate ? way : undefined)}
${table(sorted, columnsFor(visit), { caption: keys })}`,
    )
  })
}

function isRevoked({ revokedAt }: ListedKey): boolean {
  return revokedAt !== null
}

function columnsFor(visit: Visit): Column<ListedKey>[] {
  const say = keyWords[visit.language]
  return [
    {
      name: say.label,
      isTitle: true,
      cell: (key) =>
        html`<a href="/dashboard/developers/keys/${key.id}"><bdi>${key.label}</bdi></a>`,
    },
    {
      name: say.secret,
      cell: (key) =>
        key.isDashboard ? secretEnd(visit, key) : html`<code>${secretEnd(visit, key)}</code>`,
    },
    { name: say.may, cell: (key) => (key.isReadOnly ? say.readOnly : say.readWrite) },
    {
      name: say.used,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? say.never : moment(visit, lastUsedAt)),
    },
    { name: say.state, cell: (key) => keyState(visit, key) },
  ]
}
