import type { AccountBalance } from '#backoffice/reports/trial-balance-store.ts'
import { type Html, html } from '#base/kit/html.ts'
import { formatCount } from '#base/kit/money.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { dayOf, endOfDay, isDay } from '#base/kit/zoned-days.ts'
import type { DashboardContext } from '../context.ts'
import { empty, label } from '../frame/components.ts'
import { field, problemList } from '../frame/fields.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { accountWord } from './account-words.ts'

const words = inBoth({
  fr: {
    title: fr`Balance générale`,
    about: fr`Le solde de chaque compte à la fin d'un jour, ceux de la passerelle compris. Toutes
      les écritures sont additionnées : après des millions de paiements, cela prend quelques
      secondes.`,
    day: 'Fin du jour',
    show: 'Afficher',
    noDay: fr`Saisissez une date valable, par exemple 2026-11-16.`,
    none: fr`Aucune écriture jusqu'à ce jour.`,
    account: 'Compte',
    debit: fr`Débit`,
    credit: fr`Crédit`,
    total: 'Total',
    zero: fr`La somme est 0`,
    differs: (sum: string) => fr`La somme est ${sum}`,
    proofs: fr`Preuves du grand livre`,
  },
  en: {
    title: 'Trial balance',
    about: en`The balance of each account at the end of a day, those of the gateway included. All
        entries are added up: after millions of payments this takes a few seconds.`,
    day: 'End of the day',
    show: 'Show',
    noDay: 'Enter a valid date, such as 2026-11-16.',
    none: 'No entries up to this day.',
    account: 'Account',
    debit: 'Debit',
    credit: 'Credit',
    total: 'Total',
    zero: 'The sum is 0',
    differs: (sum: string) => `The sum is ${sum}`,
    proofs: 'Proofs of the ledger',
  },
})

/** GET /dashboard/ops/ledger: the balances of all accounts at the end of a day, by currency */
export default function ledger(pages: Pages, { reports }: DashboardContext): void {
  pages.screen('/dashboard/ops/ledger', 'ops.read', async (visit) => {
    const say = words[visit.language]
    const { day } = visit.query
    const problems = day === undefined || isDay(day) ? {} : { day: say.noDay }
    // Only for a day that is asked for: browsers read ahead what somebody points at.
    const balances = isDay(day ?? '')
      ? await reports.trialBalance(endOfDay(day ?? '', visit.zone))
      : undefined
    const value = day ?? dayOf(visit.now, visit.zone)
    return {
      title: say.title,
      section: 'ledger',
      status: 'day' in problems ? 422 : 200,
      body: html`<div class="head"><h1>${say.title}</h1><p class="ways"><a class="button second"
 href="/dashboard/ops/proof">${say.proofs}</a></p></div>
<p class="hint">${say.about}</p>
${problemList(visit.language, problems)}
<form class="card filters" method="get" action="/dashboard/ops/ledger">
${field({ name: 'day', label: say.day, type: 'date', value }, problems)}
<button>${say.show}</button></form>
${balances?.length === 0 && empty(say.none)}
${[...Map.groupBy(balances ?? [], ({ currency }) => currency)].map(([currency, lines]) =>
  ofCurrency(visit, currency, lines),
)}`,
    }
  })
}

interface Line {
  name: string
  debit: number
  credit: number
}

function ofCurrency({ language }: OpsVisit, currency: string, balances: AccountBalance[]): Html {
  const say = words[language]
  const lines = balances.map(
    ({ account, balance }): Line => ({
      name: accountWord(language, account),
      debit: Math.max(0, -balance),
      credit: Math.max(0, balance),
    }),
  )
  const debit = lines.reduce((sum, line) => sum + line.debit, 0)
  const credit = lines.reduce((sum, line) => sum + line.credit, 0)
  const sum = credit - debit
  const columns: Column<Line>[] = [
    { name: say.account, isTitle: true, cell: ({ name }) => html`<bdi>${name}</bdi>` },
    { name: say.debit, isNumeric: true, cell: (line) => line.debit > 0 && formatCount(line.debit) },
    {
      name: say.credit,
      isNumeric: true,
      cell: (line) => line.credit > 0 && formatCount(line.credit),
    },
  ]
  return html`<section class="card"><h2>${currency === 'XOF' ? 'F CFA (XOF)' : currency} ${
    sum === 0
      ? label(['good', 'check'], say.zero)
      : label(['bad', 'cross'], say.differs(formatCount(sum)))
  }</h2>${table([...lines, { name: say.total, debit, credit }], columns, {
    caption: `${say.title} ${currency}`,
  })}</section>`
}
