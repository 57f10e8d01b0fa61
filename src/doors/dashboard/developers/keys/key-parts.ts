import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { facts, moment } from '#doors/dashboard/frame/components.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import { type Column, table } from '#doors/dashboard/frame/table.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { sentenceOf } from '#doors/dashboard/frame/words.ts'
import type { ListedKey } from '#merchants/clients/key-store.ts'
import { overlapField } from '../overlap.ts'
import { beyond, lackingReason } from './granted.ts'
import { keyState, keyWords, rightsText, secretEnd } from './key-words.ts'

const words = inBoth({
  fr: {
    rotate: 'Nouveau secret',
    rotateText: fr`La clé garde son nom et ce qu'elle a créé. Le nouveau secret est affiché une
      seule fois.`,
    rotateGo: 'Renouveler le secret',
    revoke: fr`Révoquer la clé`,
    revokeText: fr`Les programmes qui s'en servent sont refusés dans la seconde. Cette action est
      définitive.`,
    revokeGo: fr`Révoquer la clé`,
    id: fr`Identifiant`,
  },
  en: {
    rotate: 'New secret',
    rotateText: 'The key keeps its name and what it created. The new secret is shown only once.',
    rotateGo: 'Rotate secret',
    revoke: 'Revoke the key',
    revokeText: 'Programs that use it are refused within a second. This cannot be undone.',
    revokeGo: 'Revoke key',
    id: 'Id',
  },
})

/** A list of keys, revoked ones last; each leads to its page under a path. */
export function keyTable(visit: AnyVisit, keys: ListedKey[], path: string, caption: string): Html {
  const sorted = keys.toSorted(
    (a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null),
  )
  return table(sorted, columnsFor(visit, path), { caption })
}

function columnsFor(visit: AnyVisit, path: string): Column<ListedKey>[] {
  const say = keyWords[visit.language]
  return [
    {
      name: say.label,
      isTitle: true,
      cell: (key) => html`<a href="${path}/${key.id}"><bdi>${key.label}</bdi></a>`,
    },
    {
      name: say.secret,
      cell: (key) =>
        key.isDashboard ? secretEnd(visit, key) : html`<code>${secretEnd(visit, key)}</code>`,
    },
    { name: say.may, cell: ({ rights }) => rightsText(visit, rights) },
    {
      name: say.used,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? say.never : moment(visit, lastUsedAt)),
    },
    { name: say.state, cell: (key) => keyState(visit, key) },
  ]
}

/** What a key is and may do. */
export function keyFacts(visit: AnyVisit, one: ListedKey, clientRate: number): Html {
  const say = keyWords[visit.language]
  const { allowedAddresses: addresses } = one
  return html`<section class="card">${facts([
    [words[visit.language].id, html`<code>${one.id}</code>`],
    [say.secret, html`<code>${secretEnd(visit, one)}</code>`],
    [say.may, rightsText(visit, one.rights)],
    [say.sees, one.scope === 'client' ? say.seesClient : say.seesKey],
    [say.from, addresses.length === 0 ? say.anywhere : html`<code>${addresses.join(' ')}</code>`],
    [say.rate, one.ratePerMinute ?? say.asClient(clientRate)],
    [say.created, moment(visit, one.createdAt)],
    [say.used, one.lastUsedAt === null ? say.never : moment(visit, one.lastUsedAt)],
    [say.revoked, one.revokedAt && moment(visit, one.revokedAt)],
  ])}</section>`
}

/** What the forms that change a key show of it. */
export function seenOfKey(visit: AnyVisit, one: ListedKey): Fact[] {
  const say = keyWords[visit.language]
  return [
    { name: 'key', label: words[visit.language].id, value: one.id },
    { name: 'label', label: say.label, value: one.label },
    { name: 'rights', label: say.may, value: rightsText(visit, one.rights) },
    { name: 'secret', label: say.secret, value: secretEnd(visit, one) },
    {
      name: 'isRevoked',
      label: say.state,
      value: one.revokedAt !== null,
      show: () => keyState(visit, one),
    },
  ]
}

/** The forms that give a key a new secret or end it, for the key at a path. */
export function keyChanges(visit: AnyVisit, path: string, one: ListedKey): Html {
  const say = words[visit.language]
  const seen = seenOfKey(visit, one)
  const lacking = beyond(visit, one.rights)
  const rotation =
    lacking.length > 0
      ? html`<section class="card"><h2>${say.rotate}</h2>
<p class="hint">${sentenceOf(lackingReason(visit, lacking), visit.language)}</p></section>`
      : html`<form class="card" method="post" action="${path}/rotate">${tokenField(visit, seen)}
<h2>${say.rotate}</h2><p class="hint">${say.rotateText}</p>${overlapField(visit)}
<button class="second">${say.rotateGo}</button></form>`
  return html`<div class="columns">${rotation}
<form class="card" method="post" action="${path}/revoke">${tokenField(visit, seen)}
<h2>${say.revoke}</h2><p class="hint">${say.revokeText}</p>
<button class="danger">${say.revokeGo}</button></form></div>`
}
