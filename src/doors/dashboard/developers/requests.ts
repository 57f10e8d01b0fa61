import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isRequestId, lastRequestId } from '#edge/http/request-ids.ts'
import type { KeptRequest } from '#edge/requests/store.ts'
import type { DashboardContext } from '../context.ts'
import { breakable, copyButton, empty, hrefWith, label, moment } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, pager, table } from '../frame/table.ts'
import { chips, searchForm, toolbar } from '../frame/toolbar.ts'
import type { Visit } from '../frame/visit.ts'
import { developerScreen } from './tabs.ts'

const words = inBoth({
  fr: {
    title: fr`Requêtes de vos programmes`,
    about: fr`Gardées 30 jours, sans leur contenu ; les numéros sont cachés.`,
    searchHint: fr`Le requestId d'une réponse, qui commence par req_.`,
    all: 'Toutes',
    failed: fr`Refusées`,
    when: 'Date',
    what: fr`Requête`,
    status: fr`Réponse`,
    id: fr`Numéro`,
    key: fr`Clé`,
    took: fr`Durée`,
    ms: (count: number) => fr`${count}\u00a0ms`,
    none: fr`Aucune requête en 30 jours. La première apparaît ici une seconde après.`,
    nothing: fr`Aucune requête refusée.`,
    notFound: (id: string) => fr`Aucune requête ${id} de ce marchand dans les 30 derniers jours.`,
    showAll: fr`Voir toutes les requêtes`,
  },
  en: {
    title: 'Requests of your programs',
    about: 'Kept for 30 days, without their bodies; numbers are hidden.',
    searchHint: 'The requestId of an answer, which begins with req_.',
    all: 'All',
    failed: 'Refused',
    when: 'Date',
    what: 'Request',
    status: 'Answer',
    id: 'Id',
    key: 'Key',
    took: 'Duration',
    ms: (count: number) => `${count}\u00a0ms`,
    none: 'No request in 30 days. The first appears here after a second.',
    nothing: 'No request was refused.',
    notFound: (id: string) => `No request ${id} of this merchant in the last 30 days.`,
    showAll: 'Show all requests',
  },
})

const rowsPerPage = 50

/** GET /dashboard/developers/requests */
export default function requests(
  pages: Pages,
  { clients, requests: room }: DashboardContext,
): void {
  async function read({ client, query }: Visit, search: string): Promise<KeptRequest[]> {
    const { id: clientId } = client
    if (search !== '') {
      const found = await room.find(clientId, search)
      return found === undefined ? [] : [found]
    }
    const { after = '' } = query
    return room.list({
      clientId,
      group: query.state === 'failed' ? 'failed' : 'all',
      before: isRequestId(after) ? after : lastRequestId,
      limit: rowsPerPage + 1,
    })
  }

  pages.screen('/dashboard/developers/requests', 'developer.read', async (visit) => {
    const search = (visit.query.q ?? '').trim()
    const [found, keys] = await Promise.all([
      read(visit, search),
      clients.keys.list(visit.client.id),
    ])
    const labels = new Map(keys.map(({ id, label: name }) => [id, name]))
    const rows = found.slice(0, rowsPerPage)
    const next = found.length > rowsPerPage ? (rows.at(-1)?.requestId ?? null) : null
    const say = words[visit.language]
    return developerScreen(
      visit,
      'requests',
      html`<h2>${say.title}</h2><p class="hint">${say.about}</p>
${toolbar(
  searchForm(visit, { hint: say.searchHint, value: search }),
  search === '' && filters(visit),
)}
${rows.length === 0 && nothing(visit, search)}
${table(rows, columnsFor(visit, labels), { caption: say.title })}
${pager(visit, next)}`,
    )
  })
}

function filters(visit: Visit): Html {
  const say = words[visit.language]
  const isFailed = visit.query.state === 'failed'
  return chips([
    { href: hrefWith(visit, { state: null, after: null }), text: say.all, isCurrent: !isFailed },
    {
      href: hrefWith(visit, { state: 'failed', after: null }),
      text: say.failed,
      isCurrent: isFailed,
    },
  ])
}

function nothing(visit: Visit, search: string): Html {
  const say = words[visit.language]
  const way = { href: visit.path, text: say.showAll }
  if (search !== '') return empty(say.notFound(search), way)
  return visit.query.state === 'failed' ? empty(say.nothing, way) : empty(say.none)
}

function columnsFor(visit: Visit, labels: Map<string, string>): Column<KeptRequest>[] {
  const say = words[visit.language]
  return [
    { name: say.when, cell: ({ at }) => moment(visit, at) },
    {
      name: say.what,
      isTitle: true,
      cell: (one) =>
        html`<div><code>${one.method} ${breakable(one.path)}</code>${wrong(one)}</div>`,
    },
    { name: say.status, cell: ({ status }) => statusLabel(status) },
    {
      name: say.id,
      cell: ({ requestId }) =>
        html`<span><code>${requestId}</code>${copyButton(visit.language, requestId)}</span>`,
    },
    { name: say.key, cell: ({ keyId }) => html`<bdi>${labels.get(keyId) ?? keyId}</bdi>` },
    { name: say.took, isNumeric: true, cell: ({ durationMs }) => say.ms(durationMs) },
  ]
}

function wrong({ code, messages }: KeptRequest): Html | false {
  return (
    code !== null && html`<small><b>${code}</b> ${(messages ?? '').split('\n').join(' · ')}</small>`
  )
}

function statusLabel(status: number): Html {
  if (status < 400) return label(['good', 'check'], String(status))
  return label([status < 500 ? 'calm' : 'bad', 'cross'], String(status))
}
