import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { possiblePhones } from '#merchants/catalog/phone-forms.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { attemptsMax, type Link } from '#money/links/link.ts'
import type { LinkPage } from '#money/links/list.ts'
import type { DashboardContext } from './context.ts'
import { empty, hrefWith, moment, money, status, statusWord } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'
import { pager, table } from './frame/table.ts'
import { chips, searchForm, toolbar } from './frame/toolbar.ts'
import type { Visit } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'Liens de paiement',
    create: 'Nouveau lien',
    none: fr`Aucun lien pour le moment. Créez-en un, envoyez-le à votre client, il paie avec son
      téléphone.`,
    notFound: fr`Aucun lien ne correspond.`,
    nothingHere: fr`Rien dans cette partie de l'historique. Il en reste de plus anciens.`,
    everything: 'Voir tous les liens',
    all: 'Tous',
    searchHint: fr`Un article, un client, un numéro ou une référence`,
    item: 'Article',
    amount: 'Montant',
    state: fr`État`,
    tries: 'Tentatives',
    customer: 'Client',
    created: fr`Créé`,
    expires: 'Expire',
  },
  en: {
    title: 'Payment links',
    create: 'New link',
    none: 'No link yet. Create one, send it to your customer, and they pay with their phone.',
    notFound: 'No link matches.',
    nothingHere: 'Nothing in this part of the history. There are older ones.',
    everything: 'Show all links',
    all: 'All',
    searchHint: 'An item, a customer, a number or a reference',
    item: 'Item',
    amount: 'Amount',
    state: 'State',
    tries: 'Attempts',
    customer: 'Customer',
    created: 'Created',
    expires: 'Expires',
  },
})

const statuses = ['PENDING', 'SUCCESS', 'FAILED', 'EXPIRED'] as const satisfies Link['status'][]
const rowsPerPage = 25

/** GET /dashboard/links */
export default function links(pages: Pages, { links: verbs }: DashboardContext): void {
  pages.screen(
    '/dashboard/links',
    'link.read',
    async (visit) => {
      const { title, create } = words[visit.language]
      const { after } = visit.query
      const range = { from: null, to: null, after: idIn(after), limit: rowsPerPage }
      const page = await verbs.list(wholeClient(visit.client.id), filterOf(visit), range)
      if (page === undefined) return undefined
      return {
        title,
        section: 'links',
        body: html`<div class="head"><h1>${title}</h1>${
          visit.may('link.create') &&
          html`<p class="ways"><a class="button" href="/dashboard/links/new">${create}</a></p>`
        }</div>
${toolbar(
  searchForm(visit, {
    hint: words[visit.language].searchHint,
    value: visit.query.q ?? '',
    keeps: ['status'],
  }),
  stateChips(visit),
)}
${page.links.length === 0 ? nothing(visit, page) : list(visit, page)}
${pager(visit, page.next)}`,
      }
    },
    'client',
  )
}

/** Where a page begins; a text that is no id leads to a page that does not exist. */
function idIn(after: string | undefined): string | null {
  if (after === undefined) return null
  return isUuid(after) ? after : '00000000-0000-0000-0000-000000000000'
}

function filterOf({ query }: Visit) {
  const text = query.q?.trim() ?? ''
  return {
    status: statuses.find((one) => one === query.status) ?? null,
    subMerchantId: null,
    externalIdPrefix: null,
    phone: null,
    ...(text === '' ? {} : { search: { text, phones: possiblePhones(text) } }),
  }
}

function stateChips(visit: Visit): Html {
  const { all } = words[visit.language]
  return chips(
    [null, ...statuses].map((one) => ({
      href: hrefWith(visit, { status: one, after: null }),
      text: one === null ? all : statusWord(visit.language, one),
      isCurrent: (visit.query.status ?? null) === one,
    })),
  )
}

function nothing({ language, query, path }: Visit, { next }: LinkPage): Html {
  const { none, notFound, nothingHere, everything } = words[language]
  if (next !== null) return empty(nothingHere)
  const isFiltered = query.q !== undefined || query.status !== undefined
  return isFiltered ? empty(notFound, { href: path, text: everything }) : empty(none)
}

function list(visit: Visit, page: LinkPage): Html {
  const { title, item, amount, state, tries, customer, created, expires } = words[visit.language]
  return table(
    page.links.map(({ link }) => link),
    [
      {
        name: item,
        isTitle: true,
        cell: ({ id, itemName }) =>
          html`<a href="/dashboard/links/${id}"><bdi>${itemName}</bdi></a>`,
      },
      { key: 'amount', name: amount, isNumeric: true, cell: (link) => money(link.amount) },
      { key: 'status', name: state, cell: (link) => linkStatus(visit, link) },
      { name: tries, isNumeric: true, cell: ({ attempts }) => `${attempts} / ${attemptsMax}` },
      {
        name: customer,
        cell: ({ customerName }) => customerName !== null && html`<bdi>${customerName}</bdi>`,
      },
      { key: 'moment', name: created, cell: ({ createdAt }) => moment(visit, createdAt) },
      { name: expires, cell: ({ expiresAt }) => moment(visit, expiresAt) },
    ],
    { caption: title, idOf: ({ id }) => `link-${id}`, isBrief: true },
  )
}

/** The state of a link; while a payment is under way, that of the payment. */
export function linkStatus({ language }: Pick<Visit, 'language'>, link: Link): Html {
  return status(language, link.openId === null ? link.status : 'PROCESSING')
}
