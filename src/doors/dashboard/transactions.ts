import { type Html, html, type Piece } from '#base/kit/html.ts'
import { formatCount } from '#base/kit/money.ts'
import { fr, inBoth, plural } from '#base/kit/texts.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { TransactionPage } from '#money/transactions/list.ts'
import type { ListSum } from '#money/transactions/sum.ts'
import type { DashboardContext } from './context.ts'
import { empty, hrefWith, money } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'
import { pager } from './frame/table.ts'
import { fileLink, moreMenu } from './frame/toolbar.ts'
import type { Visit } from './frame/visit.ts'
import { columnChoice, filterForm } from './transactions/filter-form.ts'
import { type Asked, readFilters } from './transactions/filters.ts'
import { shopNames } from './transactions/read-shops.ts'
import { type RowNames, transactionTable } from './transactions/rows.ts'

const words = inBoth({
  fr: {
    title: 'Transactions',
    none: fr`Aucune transaction pour le moment. Elles apparaîtront ici dès la première.`,
    nothing: fr`Aucune transaction ne correspond à ces filtres.`,
    nothingHere: fr`Rien dans cette partie de l'historique. Il en reste de plus anciennes.`,
    notFound: (text: string) => fr`Rien ne correspond à « ${text} ».`,
    all: 'Voir toutes les transactions',
    most: fr`Les 50 plus récentes sont affichées. Précisez votre recherche.`,
    ofNewest: fr`Parmi les plus récentes :`,
    sum: (count: number, done: number) =>
      fr`${formatCount(count)} ${plural.fr(count, 'transaction')},
        ${formatCount(done)} ${plural.fr(done, 'réussie')} :`,
    csv: 'Exporter en CSV',
    xlsx: 'Exporter en Excel',
  },
  en: {
    title: 'Transactions',
    none: 'No transaction yet. They appear here from the first one on.',
    nothing: 'No transaction matches these filters.',
    nothingHere: 'Nothing in this part of the history. There are older ones.',
    notFound: (text: string) => `Nothing matches “${text}”.`,
    all: 'Show all transactions',
    most: 'The 50 newest are shown. Make your search more precise.',
    ofNewest: 'Of the newest:',
    sum: (count: number, done: number) =>
      `${formatCount(count)} ${plural.en(count, 'transaction')}, ${formatCount(done)} succeeded:`,
    csv: 'Export as CSV',
    xlsx: 'Export as Excel',
  },
})

const rowsPerPage = 25
const foundMax = 50

/** GET /dashboard/transactions */
export default function transactions(pages: Pages, context: DashboardContext): void {
  pages.screen(
    '/dashboard/transactions',
    'transaction.read',
    async (visit) => {
      const asked = readFilters(visit)
      const isWrong = Object.keys(asked.problems).length > 0
      const isFiltered = !isWrong && asked.search === '' && Object.keys(asked.typed).length > 0
      const [found, sum, services, shops] = await Promise.all([
        isWrong ? { transactions: [], next: null } : readPage(context, visit, asked),
        isFiltered
          ? context.transactions.sum(wholeClient(visit.client.id), asked.filter, asked.range)
          : undefined,
        context.clients.servicesOf(visit.client.id),
        shopNames(context, visit.client.id),
      ])
      const links = await context.links.behind(found.transactions)
      const { title } = words[visit.language]
      return {
        title,
        section: 'transactions',
        status: isWrong ? 422 : 200,
        body: html`<div class="head"><h1>${title}</h1>${sum && summed(visit, sum)}</div>
${filterForm(visit, asked, { services, shops }, more(visit, asked))}
${!isWrong && list(visit, asked, found, { shops, links })}`,
      }
    },
    'client',
  )
}

async function readPage(
  { transactions: verbs }: DashboardContext,
  { client }: Visit,
  { search, filter, range, after }: Asked,
): Promise<TransactionPage> {
  if (search !== '') return { transactions: await verbs.search(client.id, search), next: null }
  return verbs.list(wholeClient(client.id), filter, { ...range, after, limit: rowsPerPage })
}

/** How many transactions are filtered, and the sum of those that succeeded. */
function summed({ language }: Visit, { count, succeeded, amount, isWhole }: ListSum): Html {
  const { sum, ofNewest } = words[language]
  return html`<p class="hint">${!isWhole && ofNewest} ${sum(count, succeeded)} ${money(amount)}</p>`
}

/** Files of what is filtered, and the columns. */
function more(visit: Visit, asked: Asked): Piece {
  const { csv, xlsx } = words[visit.language]
  const isFile = visit.may('transaction.export') && asked.search === ''
  const href = (file: string) =>
    hrefWith({ ...visit, path: `/dashboard/transactions/${file}` }, { after: null, hide: null })
  const files = isFile
    ? [fileLink(href('export.csv'), csv), fileLink(href('export.xlsx'), xlsx)]
    : []
  return moreMenu(visit, [{ entries: files }, columnChoice(visit, asked)])
}

function list(visit: Visit, asked: Asked, page: TransactionPage, rowNames: RowNames): Html {
  const { title, most } = words[visit.language]
  const { typed, search, after, hidden } = asked
  const isNewest = search === '' && after === null && Object.keys(typed).length === 0
  const found = page.transactions
  if (found.length === 0)
    return isNewest ? empty(words[visit.language].none) : nothing(visit, asked, page)
  return html`${transactionTable(visit, found, { caption: title, hidden, ...rowNames })}
${search !== '' && found.length === foundMax && html`<p class="hint">${most}</p>`}
${pager(visit, page.next)}`
}

/** An empty list: what was looked for, and a way on. */
function nothing(visit: Visit, { search }: Asked, { next }: TransactionPage): Html {
  const { nothing: text, nothingHere, notFound, all } = words[visit.language]
  if (next !== null) return html`${empty(nothingHere)}${pager(visit, next)}`
  return empty(search === '' ? text : notFound(search), { href: visit.path, text: all })
}
