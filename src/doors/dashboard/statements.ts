import type { Statement } from '#backoffice/reports/statement.ts'
import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from './context.ts'
import { dayText, figure, moment, money, tile } from './frame/components.ts'
import { field, problemList } from './frame/fields.ts'
import type { Pages } from './frame/pages.ts'
import { lastMonths, readRange } from './frame/ranges.ts'
import { table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'
import { fileForms } from './statements/file.ts'
import { categoryWord } from './statements/movements.ts'

const words = inBoth({
  fr: {
    title: fr`Relevés`,
    months: 'Mois',
    other: fr`Autre période`,
    from: 'Du',
    to: 'Au',
    show: 'Afficher',
    period: (from: string, to: string) => fr`Relevé du ${from} au ${to}`,
    opening: fr`Solde d'ouverture`,
    closing: fr`Solde de clôture`,
    category: fr`Opérations`,
    count: 'Nombre',
    amount: 'Montant',
    fee: 'Frais',
    total: 'Total',
    files: fr`Télécharger avec tous les mouvements`,
    ends: fr`Arrêté au`,
  },
  en: {
    title: 'Statements',
    months: 'Months',
    other: 'Another period',
    from: 'From',
    to: 'To',
    show: 'Show',
    period: (from: string, to: string) => `Statement from ${from} to ${to}`,
    opening: 'Opening balance',
    closing: 'Closing balance',
    category: 'Operations',
    count: 'Count',
    amount: 'Amount',
    fee: 'Fees',
    total: 'Total',
    files: 'Download with all movements',
    ends: 'As of',
  },
})

const monthsShown = 12

/** GET /dashboard/statements */
export default function statements(pages: Pages, { reports }: DashboardContext): void {
  pages.screen('/dashboard/statements', 'balance.read', async (visit) => {
    const say = words[visit.language]
    const months = lastMonths(visit, monthsShown)
    const [current] = months
    const { from = current?.from ?? '', to = current?.to ?? '' } = visit.query
    const { problems, ...range } = readRange({ ...visit, query: { from, to } })
    const statement =
      range.from === null || range.to === null
        ? undefined
        : await reports.statement(visit.client.id, { from: range.from, to: range.to })
    return {
      title: say.title,
      section: 'statements',
      body: html`<div class="head"><h1>${say.title}</h1></div>
${problemList(visit.language, problems)}
${statement !== undefined && shown(visit, statement, { from, to })}
<section class="card"><h2>${say.months}</h2><p class="chips">${months.map(
        (month) =>
          html`<a href="?from=${month.from}&amp;to=${month.to}"${
            month.from === from && month.to === to && html` aria-current="true"`
          }>${month.name}</a>`,
      )}</p></section>
<form class="card filters" method="get" action="/dashboard/statements"><h2>${say.other}</h2>
${field({ name: 'from', label: say.from, type: 'date', value: from }, problems)}
${field({ name: 'to', label: say.to, type: 'date', value: to }, problems)}
<button class="second">${say.show}</button></form>`,
    }
  })
}

function shown(visit: Visit, statement: Statement, days: { from: string; to: string }): Html {
  const { language, may } = visit
  const say = words[language]
  const { opening, closing, lines, fee } = statement
  const sums = {
    count: lines.reduce((sum, one) => sum + one.count, 0),
    amount: lines.reduce((sum, one) => sum + one.amount, 0),
  }
  const search = new URLSearchParams(days).toString()
  return html`<section class="card statement"><h2>${say.period(
    dayText(language, days.from),
    dayText(language, days.to),
  )}</h2>
${statement.to > visit.now && html`<p class="hint">${say.ends} ${moment(visit, visit.now)}</p>`}
<dl class="tiles">${tile(say.opening, figure(opening))}${tile(say.closing, figure(closing))}</dl>
${table(
  [
    ...lines.map((one) => ({ ...one, name: categoryWord(language, one.category) })),
    { ...sums, fee, name: say.total },
  ],
  [
    { name: say.category, cell: ({ name }) => name, isTitle: true },
    { name: say.count, cell: ({ count }) => count, isNumeric: true },
    { name: say.amount, cell: ({ amount }) => money(amount), isNumeric: true },
    { name: say.fee, cell: (one) => money(one.fee), isNumeric: true },
  ],
  { caption: say.title },
)}
${
  may('statement.export') &&
  html`<p>${say.files}</p><p class="ways">${fileForms.map(
    (form) =>
      html`<a class="button second" href="/dashboard/statements/file?${search}&amp;form=${form}"
 data-turbo="false">${form.toUpperCase()}</a>`,
  )}</p>`
}</section>`
}
