import { type Html, html } from '#base/kit/html.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { services } from '#merchants/catalog/services.ts'
import type { Clients } from '#merchants/clients/open.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { TransactionPage } from '#money/transactions/list.ts'
import type { DashboardContext } from '../context.ts'
import { empty } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { pager, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { filterForm } from '../transactions/filter-form.ts'
import { type Asked, type FilterName, filterNames, readFilters } from '../transactions/filters.ts'
import { shopNames } from '../transactions/read-shops.ts'
import { type RowNames, transactionColumns } from '../transactions/rows.ts'

const words = inBoth({
  fr: {
    title: 'Transactions',
    none: fr`Aucune transaction pour l'instant.`,
    nothing: fr`Aucune transaction ne correspond à ces filtres.`,
    nothingHere: fr`Rien dans cette partie de l'historique. Il en reste de plus anciennes.`,
    notFound: (text: string) => fr`Rien ne correspond à « ${text} ».`,
    all: 'Voir toutes les transactions',
    most: fr`50 transactions sont affichées ; il peut y en avoir d'autres. Affinez votre
      recherche.`,
    unknown: fr`Aucun marchand n'a ce nom ou ce numéro.`,
  },
  en: {
    title: 'Transactions',
    none: 'No transactions yet.',
    nothing: 'No transactions match these filters.',
    nothingHere: 'Nothing in this part of the history. There are older transactions.',
    notFound: (text: string) => `Nothing matches “${text}”.`,
    all: 'Show all transactions',
    most: '50 transactions are shown; there may be more. Refine your search.',
    unknown: 'No merchant has this name or number.',
  },
})

const rowsPerPage = 25
const foundMax = 50
const names: FilterName[] = ['client', ...filterNames]
const hidden = new Set<string | undefined>(['fee', 'shop', 'ours'])

/** GET /dashboard/ops/transactions: those of all clients, or of one */
export default function transactions(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/transactions', 'ops.read', async (visit) => {
    const asked = readFilters(visit, names)
    const clientId = await readClient(context.clients, visit, asked)
    const isWrong = Object.keys(asked.problems).length > 0
    const page = isWrong ? nothingFound : await readPage(context, asked, clientId)
    const shops = clientId === null ? new Map<string, string>() : await shopNames(context, clientId)
    // Sub-merchants have names within a client only.
    const shown = names.filter((name) => name !== 'shop' || clientId !== null)
    const { title } = words[visit.language]
    return {
      title,
      section: 'transactions',
      status: isWrong ? 422 : 200,
      body: html`<div class="head"><h1>${title}</h1></div>
${filterForm(visit, asked, { services, shops, names: shown })}
${
  !isWrong &&
  list(visit, asked, page, {
    clients: await context.clients.namesOf(page.transactions),
    links: await context.links.behind(page.transactions),
    shops,
  })
}`,
    }
  })
}

const nothingFound: TransactionPage = { transactions: [], next: null }

/** The client that the address names; null: all of them. */
async function readClient(clients: Clients, visit: OpsVisit, asked: Asked): Promise<number | null> {
  const { client, shop } = asked.typed
  if (client === undefined) {
    delete asked.typed.shop
    if (shop !== undefined) asked.filter.subMerchantId = null
    return null
  }
  try {
    return await clients.idOf(client)
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem
    asked.problems.client = words[visit.language].unknown
    return null
  }
}

async function readPage(
  { transactions: verbs }: DashboardContext,
  { search, filter, range, after }: Asked,
  clientId: number | null,
): Promise<TransactionPage> {
  const part = { ...range, after, limit: rowsPerPage }
  if (search !== '') {
    const found =
      clientId === null ? verbs.ofAllClients.search(search) : verbs.search(clientId, search)
    return { transactions: await found, next: null }
  }
  if (clientId === null) return verbs.ofAllClients.list(filter, part)
  return verbs.list(wholeClient(clientId), filter, part)
}

function list(visit: OpsVisit, asked: Asked, page: TransactionPage, rowNames: RowNames): Html {
  const { title, most, none, nothing, nothingHere, notFound, all } = words[visit.language]
  const { typed, search, after } = asked
  const found = page.transactions
  if (found.length === 0 && page.next !== null)
    return html`${empty(nothingHere)}${pager(visit, page.next)}`
  if (found.length === 0) {
    const isAll = search === '' && after === null && Object.keys(typed).length === 0
    if (isAll) return empty(none)
    const text = search === '' ? nothing : notFound(search)
    return empty(text, { href: visit.path, text: all })
  }
  const columns = transactionColumns(visit, rowNames)
  const shown = columns.filter(({ key }) => !hidden.has(key))
  return html`${table(found, shown, { caption: title, isBrief: true })}
${search !== '' && found.length === foundMax && html`<p class="hint">${most}</p>`}
${pager(visit, page.next)}`
}
