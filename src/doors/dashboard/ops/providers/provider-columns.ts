import { html } from '#base/kit/html.ts'
import { moment } from '#doors/dashboard/frame/components.ts'
import { providerWord } from '#doors/dashboard/frame/kinds.ts'
import type { Column } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { ProviderState } from '#operations/health/judge.ts'
import { floatCell, floatWords } from './float-cell.ts'
import {
  providerHref,
  providerState,
  providerWords,
  stateSince,
  successText,
} from './provider-words.ts'

/** What every list of providers shows of each. */
export function providerColumns(visit: OpsVisit): Column<ProviderState>[] {
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
      key: 'provider',
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
    {
      name: say.open,
      isNumeric: true,
      cell: ({ open, oldestOpenAt: at }) =>
        html`<div>${open}${at && html`<br><small>${say.sinceWhen} ${time(at)}</small>`}</div>`,
    },
    {
      name: floatWords[language].name,
      isNumeric: true,
      cell: (one) => floatCell(visit, one),
    },
  ]
}
