import { totalsOfTraffic } from '#backoffice/reports/traffic.ts'
import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { merchantStatuses } from '#merchants/clients/statuses.ts'
import type { Client } from '#merchants/clients/store.ts'
import type { DashboardContext } from '../context.ts'
import { empty, hrefWith, moment, money, percentText } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, pager, table } from '../frame/table.ts'
import { chips, searchForm, toolbar } from '../frame/toolbar.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { clientHref, clientState, clientWords } from './clients/client-screen.ts'

const words = inBoth({
  fr: {
    create: fr`Créer un marchand`,
    search: fr`Nom ou numéro`,
    all: 'Tous',
    name: 'Nom',
    number: fr`Numéro`,
    state: fr`État`,
    available: 'Disponible',
    held: 'En attente',
    day: fr`24 heures`,
    rate: fr`Taux de réussite`,
    created: fr`Créé`,
    none: fr`Aucun marchand ne correspond.`,
    reset: fr`Tout afficher`,
  },
  en: {
    create: 'Create a merchant',
    search: 'Name or number',
    all: 'All',
    name: 'Name',
    number: 'Number',
    state: 'State',
    available: 'Available',
    held: 'Held',
    day: '24 hours',
    rate: 'Success rate',
    created: 'Created',
    none: 'No matching merchants.',
    reset: 'Show everything',
  },
})

const rowsPerPage = 50

interface Listed extends Client {
  available: number
  held: number
  ended: number
  successRate: number | null
}

/** GET /dashboard/ops/clients: every client with its money and the traffic of the last day */
export default function clientList(
  pages: Pages,
  { clients, ledger, reports }: DashboardContext,
): void {
  /** Adds money and traffic to the clients of a page. */
  async function withFigures(found: Client[]): Promise<Listed[]> {
    const ids = found.map(({ id }) => id)
    const [balances, traffic] = await Promise.all([ledger.balancesOf(ids), reports.traffic(ids)])
    const money = new Map(balances.map((one) => [one.clientId, one]))
    const byClient = Map.groupBy(traffic, ({ clientId }) => clientId)
    return found.map((one) => {
      const { available = 0, held = 0 } = money.get(one.id) ?? {}
      const { ended, successRate } = totalsOfTraffic(byClient.get(one.id) ?? [])
      return { ...one, available, held, ended, successRate }
    })
  }

  pages.screen('/dashboard/ops/clients', 'ops.read', async (visit) => {
    const say = words[visit.language]
    const { title } = clientWords[visit.language]
    const { after = '', state, q = '' } = visit.query
    const status = merchantStatuses.find((one) => one === state) ?? null
    const before = /^\d{1,9}$/.test(after) ? Number(after) : null
    const text = q.trim()
    const found = await clients.list({ text, status, before, limit: rowsPerPage + 1 })
    const rows = await withFigures(found.slice(0, rowsPerPage))
    const next = found.length > rowsPerPage ? String(rows.at(-1)?.id ?? '') : null
    const way = { href: visit.path, text: say.reset }
    return {
      title,
      section: 'clients',
      body: html`<div class="head"><h1>${title}</h1>${
        visit.may('ops.clients.change') &&
        html`<p class="ways"><a class="button" href="${visit.path}/new">${say.create}</a></p>`
      }</div>
${toolbar(
  searchForm(visit, { hint: say.search, value: text, keeps: ['state'] }),
  filters(visit, status),
)}
${rows.length === 0 ? empty(say.none, way) : table(rows, columnsFor(visit), { caption: title })}
${pager(visit, next)}`,
    }
  })
}

function filters(visit: OpsVisit, status: Client['merchantStatus'] | null): Html {
  const { states } = clientWords[visit.language]
  return chips(
    [null, ...merchantStatuses].map((one) => ({
      href: hrefWith(visit, { state: one, after: null }),
      text: one === null ? words[visit.language].all : states[one],
      isCurrent: one === status,
    })),
  )
}

function columnsFor(visit: OpsVisit): Column<Listed>[] {
  const say = words[visit.language]
  return [
    {
      name: say.name,
      isTitle: true,
      cell: ({ id, name }) => html`<a href="${clientHref(id)}"><bdi>${name}</bdi></a>`,
    },
    { name: say.number, isNumeric: true, cell: ({ id }) => id },
    { name: say.state, cell: ({ merchantStatus }) => clientState(visit, merchantStatus) },
    { name: say.available, isNumeric: true, cell: ({ available }) => money(available) },
    { name: say.held, isNumeric: true, cell: ({ held }) => money(held) },
    { name: say.day, isNumeric: true, cell: ({ ended }) => ended },
    {
      name: say.rate,
      isNumeric: true,
      cell: ({ successRate }) => percentText(visit.language, successRate),
    },
    { name: say.created, cell: ({ createdAt }) => moment(visit, createdAt) },
  ]
}
