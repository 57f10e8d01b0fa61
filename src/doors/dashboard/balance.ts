import type { MovementPage } from '#backoffice/reports/movements.ts'
import type { Holding, Movement } from '#backoffice/reports/movements-store.ts'
import { holdingsMax } from '#backoffice/reports/open.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from './context.ts'
import {
  countText,
  empty,
  figure,
  moment,
  money,
  phone,
  shortId,
  status,
  tile,
} from './frame/components.ts'
import { field } from './frame/fields.ts'
import { kindWord, providerWord } from './frame/kinds.ts'
import type { Pages } from './frame/pages.ts'
import { type DayRange, readRange } from './frame/ranges.ts'
import { pager, table } from './frame/table.ts'
import { countSet, filterFold, toolbar } from './frame/toolbar.ts'
import type { Visit } from './frame/visit.ts'
import { movementText } from './statements/movements.ts'

const words = inBoth({
  fr: {
    title: 'Solde',
    available: 'Disponible',
    held: 'En attente',
    heldWhy: fr`Mis de côté pour des paiements en cours ; rendu s'ils échouent.`,
    statement: fr`Relevés`,
    holds: fr`Montants en attente`,
    movements: 'Mouvements',
    from: 'Du',
    to: 'Au',
    when: 'Date',
    what: fr`Libellé`,
    reference: fr`Référence`,
    number: fr`Numéro`,
    fee: 'dont frais',
    amount: 'Montant',
    balance: fr`Solde après`,
    state: fr`État`,
    none: fr`Aucun mouvement dans cette période.`,
    nothing: fr`Aucun mouvement pour l'instant : le premier paiement apparaîtra ici.`,
    all: 'Tout afficher',
  },
  en: {
    title: 'Balance',
    available: 'Available',
    held: 'Held',
    heldWhy: 'Set aside for payments in progress; returned if they fail.',
    statement: 'Statements',
    holds: 'Amounts held',
    movements: 'Movements',
    from: 'From',
    to: 'To',
    when: 'Date',
    what: 'Description',
    reference: 'Reference',
    number: 'Number',
    fee: 'incl. fee',
    amount: 'Amount',
    balance: 'Balance after',
    state: 'Status',
    none: 'No movements in this period.',
    nothing: 'No movements yet: the first payment will be shown here.',
    all: 'Show all',
  },
})

const pageLength = 50
const days = ['from', 'to']

/** GET /dashboard/balance */
export default function balance(pages: Pages, { ledger, reports }: DashboardContext): void {
  pages.screen(
    '/dashboard/balance',
    'balance.read',
    async (visit) => {
      const { id } = visit.client
      const range = readRange(visit)
      const after = /^\d{1,15}$/.test(visit.query.after ?? '') ? Number(visit.query.after) : null
      const [{ available, held }, holdings, page] = await Promise.all([
        ledger.balances(id),
        reports.holdings(id),
        reports.movements(id, { from: range.from, to: range.to, after, limit: pageLength }),
      ])
      const say = words[visit.language]
      return {
        title: say.title,
        section: 'balance',
        body: html`<div class="head"><h1>${say.title}</h1>
<p class="ways"><a class="button second" href="/dashboard/statements">${say.statement}</a></p></div>
<dl class="tiles">${tile(say.available, figure(available))}
${tile(say.held, figure(held), [say.heldWhy])}</dl>
${holds(visit, holdings)}
<div class="head"><h2>${say.movements}</h2>${toolbar(filters(visit, range))}</div>
${movements(visit, page)}`,
      }
    },
    'client',
  )
}

function holds(visit: Visit, holdings: Holding[]): Piece {
  if (holdings.length === 0) return null
  const { language } = visit
  const say = words[language]
  const count = countText(language, holdings.length, holdingsMax)
  return html`<details><summary>${say.holds} (${count})</summary>${table(
    holdings,
    [
      {
        name: say.what,
        cell: ({ transactionId, operation, serviceCode }) =>
          html`<a href="/dashboard/transactions/${transactionId}">${kindWord(
            language,
            operation,
          )} · ${providerWord(language, serviceCode)}</a>`,
        isTitle: true,
      },
      { name: say.when, cell: ({ createdAt }) => moment(visit, createdAt) },
      { name: say.number, cell: (one) => phone(visit, one.phone, one.serviceCode) },
      { name: say.state, cell: (one) => status(language, one.status) },
      { name: say.amount, cell: ({ amount }) => money(amount), isNumeric: true },
    ],
    { caption: say.holds },
  )}</details>`
}

function filters(visit: Visit, { problems }: DayRange): Html {
  const { query, language } = visit
  const say = words[language]
  const day = (name: 'from' | 'to') =>
    field({ name, label: say[name], type: 'date', value: query[name] ?? '' }, problems)
  const count = countSet(visit, days)
  return filterFold(visit, { fields: [day('from'), day('to')], count, problems })
}

function movements(visit: Visit, { movements: rows, next }: MovementPage): Html {
  const { language, path } = visit
  const say = words[language]
  if (rows.length === 0)
    return countSet(visit, [...days, 'after']) > 0
      ? empty(say.none, { href: path, text: say.all })
      : empty(say.nothing)
  return html`${table(
    rows,
    [
      {
        name: say.what,
        isTitle: true,
        cell: (one) =>
          html`${linked(one, movementText(language, one))}${
            one.itemName !== null &&
            html`<small><bdi>${one.itemName}</bdi>${
              one.customerName !== null && html` · <bdi>${one.customerName}</bdi>`
            }</small>`
          }`,
      },
      { key: 'moment', name: say.when, cell: ({ at }) => moment(visit, at) },
      {
        name: say.reference,
        cell: ({ externalId, ref }) => reference(language, externalId ?? ref),
      },
      { name: say.fee, cell: ({ fee }) => fee !== 0 && money(fee), isNumeric: true },
      { key: 'amount', name: say.amount, cell: ({ amount }) => money(amount), isNumeric: true },
      { key: 'status', name: say.balance, cell: ({ after }) => money(after), isNumeric: true },
    ],
    { caption: say.movements, isBrief: true },
  )}
${pager(visit, next === null ? null : String(next))}`
}

// Ids are shortened; what people write is shown whole.
const wholeMax = 24

function reference(language: Language, text: string): Html {
  return text.length > wholeMax ? shortId(language, text) : html`<bdi>${text}</bdi>`
}

function linked({ transactionId }: Movement, text: string): Piece {
  if (transactionId === null) return text
  return html`<a href="/dashboard/transactions/${transactionId}">${text}</a>`
}
