import { type Attention, failedMax, holdingsMax } from '#backoffice/reports/attention.ts'
import type { Home } from '#backoffice/reports/figures.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { type Language, locales } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { icons } from '#edge/pages/icons.ts'
import type { Closure } from '#merchants/catalog/store.ts'
import type { Action } from '#merchants/people/rights.ts'
import { operations } from '#money/transactions/transaction.ts'
import { type ChartDay, volumeChart } from './charts/volume.ts'
import type { DashboardContext } from './context.ts'
import { countText, empty, moment, money, percentText } from './frame/components.ts'
import { kindWord, placeWord, providerWord } from './frame/kinds.ts'
import type { Pages } from './frame/pages.ts'
import { table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'
import { figureTiles, figureWords } from './home/figures.ts'
import { latestList, latestMax } from './home/latest.ts'
import { signed } from './transactions/rows.ts'

const words = inBoth({
  fr: {
    title: 'Accueil',
    collect: 'Encaisser',
    pay: 'Payer',
    volume: fr`Entrées et sorties par jour, 30 jours`,
    figures: fr`Voir les chiffres`,
    day: 'Jour',
    net: fr`Net`,
    wallets: fr`Encaissements par portefeuille`,
    wallet: 'Portefeuille',
    amount: 'Montant',
    attention: fr`À traiter`,
    fine: fr`Tout est en ordre.`,
    exhausted: (count: string) =>
      count === '1' ? fr`1 webhook non livré` : fr`${count} webhooks non livrés`,
    retrying: (count: string) =>
      count === '1'
        ? fr`1 webhook non livré sera renvoyé`
        : fr`${count} webhooks non livrés seront renvoyés`,
    holdings: (count: string) =>
      count === '1'
        ? fr`1 montant en attente depuis plus d'un jour`
        : fr`${count} montants en attente depuis plus d'un jour`,
    expiring: (what: string) => fr`${what} expire le`,
    key: (label: string) => fr`La clé « ${label} »`,
    secret: fr`Un secret de webhook`,
    down: (service: string) => fr`${service} ne répond pas`,
    closed: (what: string) => fr`En maintenance : ${what}`,
    allPayments: fr`tous les paiements`,
    until: fr`fin prévue`,
    none: fr`Aucune transaction ces 30 derniers jours.`,
    firstLink: fr`Créer un lien de paiement`,
  },
  en: {
    title: 'Home',
    collect: 'Collect',
    pay: 'Pay',
    volume: 'Money in and out by day, 30 days',
    figures: 'Show the figures',
    day: 'Day',
    net: 'Net',
    wallets: 'Collections by wallet',
    wallet: 'Wallet',
    amount: 'Amount',
    attention: 'Needs attention',
    fine: 'All is in order.',
    exhausted: (count: string) =>
      count === '1'
        ? '1 webhook could not be delivered'
        : `${count} webhooks could not be delivered`,
    retrying: (count: string) =>
      count === '1' ? '1 webhook will be retried' : `${count} webhooks will be retried`,
    holdings: (count: string) =>
      count === '1'
        ? '1 amount held for more than a day'
        : `${count} amounts held for more than a day`,
    expiring: (what: string) => `${what} expires on`,
    key: (label: string) => `The key “${label}”`,
    secret: 'A webhook secret',
    down: (service: string) => `${service} is not responding`,
    closed: (what: string) => `Under maintenance: ${what}`,
    allPayments: 'all payments',
    until: 'planned until',
    none: 'No transactions in the last 30 days.',
    firstLink: 'Create a payment link',
  },
})

/** GET /dashboard */
export default function home(pages: Pages, context: DashboardContext): void {
  const { reports } = context
  pages.screen(
    '/dashboard',
    'home.read',
    async (visit) => {
      const { id } = visit.client
      const [figures, attention, latest] = await Promise.all([
        reports.home(id, visit.zone),
        reports.attention(id),
        context.transactions.newest(id, latestMax),
      ])
      const { title, collect, pay } = words[visit.language]
      return {
        title,
        section: 'home',
        body: html`<div class="head"><h1>${title}</h1><p class="ways">${
          visit.may('link.create') &&
          html`<a class="button" href="/dashboard/links/new">${collect}</a>`
        }${
          visit.may('payment.make') &&
          html`<a class="button second" href="/dashboard/pay">${pay}</a>`
        }</p></div>
${figureTiles(visit, figures)}
${attentionCard(visit, attention)}
${latestList(visit, latest, await context.links.behind(latest))}
${volume(visit, figures)}`,
      }
    },
    'client',
  )
}

function volume({ language }: Visit, { days, last, wallets }: Home): Html {
  const say = words[language]
  if (last.all.ended === 0)
    return empty(say.none, { href: '/dashboard/links/new', text: say.firstLink })
  const kinds = operations.filter((kind) => days.some(({ amounts }) => amounts[kind] > 0))
  const moved = days.map(({ day, amounts }) => ({
    day,
    amounts: Object.fromEntries(
      kinds.map((kind) => [kind, signed({ operation: kind, amount: amounts[kind] })]),
    ),
  }))
  // Made once: to make it takes longer than all days of the chart.
  const form = new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
  })
  const dayText = (day: string) => form.format(new Date(`${day}T00:00:00Z`))
  const series = kinds.map((kind) => [kind, kindWord(language, kind)] as [string, string])
  return html`<section class="card"><h2>${say.volume}</h2>
${volumeChart({ title: say.volume, days: moved, series, dayText })}
<details><summary>${say.figures}</summary>${table(
    moved.toReversed(),
    [
      { name: say.day, cell: ({ day }) => dayText(day), isTitle: true },
      ...kinds.map((kind) => ({
        name: kindWord(language, kind),
        cell: ({ amounts }: ChartDay) => money(amounts[kind] ?? 0),
        isNumeric: true,
      })),
      {
        name: say.net,
        cell: ({ amounts }) => money(Object.values(amounts).reduce((sum, one) => sum + one, 0)),
        isNumeric: true,
      },
    ],
    { caption: say.volume },
  )}</details>${byWallet(language, wallets)}</section>`
}

function byWallet(language: Language, wallets: Home['wallets']): Piece {
  const say = { ...figureWords[language], ...words[language] }
  if (wallets.length === 0) return null
  return html`<details><summary>${say.wallets}</summary>${table(
    wallets,
    [
      { name: say.wallet, cell: ({ wallet }) => providerWord(language, wallet), isTitle: true },
      { name: say.amount, cell: ({ amount }) => money(amount), isNumeric: true },
      {
        name: say.rate,
        cell: ({ successRate, succeeded, ended }) =>
          html`${percentText(language, successRate)} <small class="hint">${say.ofAll(
            succeeded,
            ended,
          )}</small>`,
        isNumeric: true,
      },
    ],
    { caption: say.wallets },
  )}</details>`
}

/** Each with a link to where something can be done, for those who may go there. */
function attentionCard(visit: Visit, attention: Attention): Html {
  const { deliveries, holdings, expiring, closures, down } = attention
  const { language, may } = visit
  const say = words[language]
  const lines: Piece[] = []
  const add = (text: Piece) => void lines.push(text)
  const addLink = (action: Action, href: string, text: Piece) =>
    add(may(action) ? html`<a href="${href}">${text}</a>` : html`<span>${text}</span>`)
  const developers = '/dashboard/developers'
  if (deliveries.exhausted > 0)
    addLink(
      'developer.read',
      `${developers}/webhooks?state=exhausted`,
      say.exhausted(countText(language, deliveries.exhausted, failedMax)),
    )
  if (deliveries.retrying > 0)
    addLink(
      'developer.read',
      `${developers}/webhooks`,
      say.retrying(countText(language, deliveries.retrying, failedMax)),
    )
  if (holdings.length > 0)
    addLink(
      'balance.read',
      '/dashboard/balance',
      say.holdings(countText(language, holdings.length, holdingsMax)),
    )
  for (const { what, label, expiresAt } of expiring) {
    const name = what === 'api_key' ? say.key(label ?? '') : say.secret
    // One piece: what stands in a row of the list loses the space between its pieces.
    const text = html`<span>${say.expiring(name)} ${moment(visit, expiresAt)}</span>`
    addLink('developer.read', developers, text)
  }
  for (const one of closures) add(closureLine(visit, one))
  for (const code of down) add(html`<span>${say.down(providerWord(language, code))}</span>`)
  if (lines.length === 0) return html`<p class="calm-line">${icons.approved}${say.fine}</p>`
  return html`<section class="card todo"><h2>${say.attention}</h2>
<ul class="list">${lines.map((line) => html`<li>${icons.notice}${line}</li>`)}</ul></section>`
}

/** What is closed for maintenance, until when, and what is said about it. */
function closureLine(visit: Visit, { scope, until, notice }: Closure): Html {
  const say = words[visit.language]
  const isAll = scope === 'all' || scope === 'payments'
  const end = until !== null && html` · ${say.until} ${moment(visit, until)}`
  const told = notice !== null && html` · <bdi>${notice}</bdi>`
  const what = isAll ? say.allPayments : placeWord(visit.language, scope)
  return html`<span>${say.closed(what)}${end}${told}</span>`
}
