import type { Float } from '../../float/store.ts'
import { readFloats } from '../../float/store.ts'
import type { ProviderState } from '../../health/judge.ts'
import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import { nameOf } from '../../providers/bindings.ts'
import type { DashboardContext } from '../context.ts'
import { moment } from '../frame/components.ts'
import { providerWord } from '../frame/kinds.ts'
import type { Pages } from '../frame/pages.ts'
import type { Column } from '../frame/table.ts'
import { table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { floatCell, floatWords } from './providers/float-cell.ts'
import {
  providerHref,
  providerState,
  providerWords,
  stateSince,
  successText,
} from './providers/provider-words.ts'

const words = inBoth({
  fr: {
    about: fr`Sans les échecs dus aux payeurs : solde, refus, mauvais code.`,
    processes: (count: number) =>
      count === 1 ? fr`Selon 1 processus.` : fr`Selon ${count} processus.`,
    silent: fr`Aucun processus ne fait de rapport : la passerelle tourne-t-elle ?`,
  },
  en: {
    about: 'Without failures that are due to payers: balance, refusal, wrong code.',
    processes: (count: number) =>
      count === 1 ? 'As 1 process reports.' : `As ${count} processes report.`,
    silent: 'No process reports: does the gateway run?',
  },
})

/** GET /dashboard/ops/providers: every provider as payers meet it now */
export default function providers(pages: Pages, { db, health }: DashboardContext): void {
  pages.screen('/dashboard/ops/providers', 'ops.read', async (visit) => {
    const { title } = providerWords[visit.language]
    const { about, processes, silent } = words[visit.language]
    const [states, floats] = await Promise.all([health.providers(), readFloats(db)])
    const count = states.processes.length
    return {
      title,
      section: 'providers',
      body: html`<div class="head"><h1>${title}</h1></div>
<p class="hint">${about} ${count === 0 ? silent : processes(count)}</p>
${table(states.providers, columnsFor(visit, floats), { caption: title })}`,
    }
  })
}

function columnsFor(visit: OpsVisit, floats: Float[]): Column<ProviderState>[] {
  const { language } = visit
  const say = providerWords[language]
  const time = (at: Date | null) => at && moment(visit, at)
  // Where all is well, since when is of no interest.
  const since = (one: ProviderState) =>
    (one.isPaused || one.breaker.state !== 'closed') &&
    html`<br><small>${time(stateSince(one))}</small>`
  return [
    {
      name: say.provider,
      isTitle: true,
      cell: (one) =>
        html`<a href="${providerHref(one)}">${providerWord(language, nameOf(one))}</a>`,
    },
    { name: say.orders, cell: (one) => html`<div>${providerState(visit, one)}${since(one)}</div>` },
    { name: say.success, isNumeric: true, cell: (one) => successText(visit, one) },
    {
      name: say.p95,
      isNumeric: true,
      cell: ({ p95Ms }) => (p95Ms === null ? '–' : say.ms(p95Ms)),
    },
    { name: say.open, isNumeric: true, cell: ({ open }) => open },
    { name: say.oldest, cell: ({ oldestOpenAt }) => time(oldestOpenAt) },
    {
      name: floatWords[language].name,
      isNumeric: true,
      cell: (one) => floatCell(visit, floats, one),
    },
  ]
}
