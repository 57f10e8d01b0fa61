import type { ListedKey } from '../../../clients/key-store.ts'
import { readKeys } from '../../../clients/key-store.ts'
import { findClient } from '../../../clients/store.ts'
import type { Db } from '../../../db/db.ts'
import type { Html } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { fr } from '../../../pages/typography.ts'
import type { DashboardContext } from '../../context.ts'
import { facts, moment } from '../../frame/components.ts'
import { tokenField } from '../../frame/layout.ts'
import type { Pages } from '../../frame/pages.ts'
import type { Visit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import { overlapField } from '../overlap.ts'
import { detailScreen } from '../tabs.ts'
import { keyState, keyWords, secretEnd } from './key-words.ts'

const words = inBoth({
  fr: {
    rotate: 'Nouveau secret',
    rotateText: fr`La clé garde son nom et ce qu'elle a créé. Le nouveau secret est affiché une
      seule fois.`,
    rotateGo: 'Donner un nouveau secret',
    revoke: fr`Révoquer la clé`,
    revokeText: fr`Les programmes qui s'en servent sont refusés en une seconde, pour toujours.`,
    revokeGo: fr`Révoquer pour toujours`,
    id: fr`Identifiant`,
    requests: fr`Voir les requêtes`,
  },
  en: {
    rotate: 'New secret',
    rotateText: 'The key keeps its name and what it created. The new secret is shown only once.',
    rotateGo: 'Give a new secret',
    revoke: 'Revoke the key',
    revokeText: 'Programs that use it are refused within a second, for good.',
    revokeGo: 'Revoke for good',
    id: 'Id',
    requests: 'Show requests',
  },
})

/** A key of the client that is shown; undefined: another's, or none. */
export async function keyOf(db: Db, visit: Visit): Promise<ListedKey | undefined> {
  const keys = await readKeys(db, visit.client.id)
  return keys.find(({ id }) => id === visit.part('id'))
}

/** GET /dashboard/developers/keys/:id */
export default function key(pages: Pages, { db }: DashboardContext): void {
  pages.screen('/dashboard/developers/keys/:id', 'developer.read', async (visit) => {
    const found = await keyOf(db, visit)
    if (found === undefined) return undefined
    const client = await findClient(db, visit.client.id)
    const canChange = visit.may('key.change') && found.revokedAt === null && !found.isDashboard
    return detailScreen(visit, 'keys', {
      title: found.label,
      aside: keyState(visit, found),
      body: html`${keyFacts(visit, found, client?.ratePerMinute ?? 0)}
${canChange && changes(visit, found)}`,
    })
  })
}

function keyFacts(visit: Visit, one: ListedKey, clientRate: number): Html {
  const say = keyWords[visit.language]
  const { allowedAddresses: addresses } = one
  return html`<section class="card">${facts([
    [words[visit.language].id, html`<code>${one.id}</code>`],
    [say.secret, html`<code>${secretEnd(visit, one)}</code>`],
    [say.may, one.isReadOnly ? say.readOnly : say.readWrite],
    [say.sees, one.scope === 'client' ? say.seesClient : say.seesKey],
    [say.from, addresses.length === 0 ? say.anywhere : html`<code>${addresses.join(' ')}</code>`],
    [say.rate, one.ratePerMinute ?? say.asClient(clientRate)],
    [say.created, moment(visit, one.createdAt)],
    [say.used, one.lastUsedAt === null ? say.never : moment(visit, one.lastUsedAt)],
    [say.revoked, one.revokedAt && moment(visit, one.revokedAt)],
  ])}</section>`
}

function changes(visit: Visit, { id }: ListedKey): Html {
  const say = words[visit.language]
  const path = `/dashboard/developers/keys/${id}`
  return html`<div class="columns">
<form class="card" method="post" action="${path}/rotate">${tokenField(visit)}
<h2>${say.rotate}</h2><p class="hint">${say.rotateText}</p>${overlapField(visit)}
<button class="second">${say.rotateGo}</button></form>
<form class="card" method="post" action="${path}/revoke">${tokenField(visit)}
<h2>${say.revoke}</h2><p class="hint">${say.revokeText}</p>
<button class="danger">${say.revokeGo}</button></form></div>`
}
