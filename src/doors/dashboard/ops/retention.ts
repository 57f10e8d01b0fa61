import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { ShownRule } from '#operations/retention/open.ts'
import type { DashboardContext } from '../context.ts'
import { label, moment } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { numberForm, words as numberWords } from './retention/number.ts'
import { fixedPeriods, ruleWords } from './retention/words.ts'

const words = inBoth({
  fr: {
    title: fr`Conservation des données`,
    lead: fr`Ce qui n'est plus utile est effacé une fois par heure, par petites quantités. Ce
      qui est encore ouvert reste : transaction en cours, contradiction, événement à livrer. Le
      grand livre et le journal d'audit ne sont jamais touchés.`,
    what: fr`Ce qui est effacé`,
    after: fr`Après`,
    never: fr`jamais`,
    days: (count: number) => `${count}\u00a0jours`,
    setting: fr`Réglage`,
    fixed: fr`fixe`,
    last: fr`Dernière exécution`,
    none: fr`aucun encore`,
    running: fr`en cours`,
    forgotten: fr`Effacé à la dernière exécution`,
    inAll: fr`Effacé en tout`,
    left: fr`Encore utile`,
    elsewhere: fr`Durées fixes`,
    period: fr`Durée`,
  },
  en: {
    title: 'Retention',
    lead:
      'What is no longer needed is erased once an hour, in small batches. What is still open ' +
      'stays: an open transaction, a conflict, an event still to be delivered. The ' +
      'ledger and the audit log are never touched.',
    what: 'What is erased',
    after: 'After',
    never: 'never',
    days: (count: number) => `${count}\u00a0days`,
    setting: 'Setting',
    fixed: 'fixed',
    last: 'Last run',
    none: 'none yet',
    running: 'running',
    forgotten: 'Erased in the last run',
    inAll: 'Erased in all',
    left: 'Still needed',
    elsewhere: 'Fixed periods',
    period: 'Period',
  },
})

/** GET /dashboard/ops/retention: what is kept how long, and what was forgotten */
export default function retentionScreen(pages: Pages, { retention }: DashboardContext): void {
  pages.screen('/dashboard/ops/retention', 'ops.read', async (visit) => {
    const say = words[visit.language]
    return {
      title: say.title,
      section: 'retention',
      body: html`<div class="head"><h1>${say.title}</h1></div>
<p class="hint">${say.lead}</p>
${table(await retention.show(), columnsFor(visit), { caption: say.title })}
<h2>${say.elsewhere}</h2>
${table(fixedPeriods[visit.language], fixedColumns(visit), { caption: say.elsewhere })}
${
  visit.may('ops.number.export') &&
  html`<h2>${numberWords[visit.language].title}</h2>${numberForm(visit)}`
}`,
    }
  })
}

function columnsFor(visit: OpsVisit): Column<ShownRule>[] {
  const say = words[visit.language]
  const count = (value: number) => value.toLocaleString(visit.language)
  return [
    { name: say.what, isTitle: true, cell: ({ name }) => ruleWords[visit.language][name] },
    { name: say.after, cell: ({ days }) => (days === null ? say.never : say.days(days)) },
    {
      name: say.setting,
      cell: ({ setting }) => (setting === null ? say.fixed : html`<code>${setting}</code>`),
    },
    {
      name: say.last,
      cell: ({ state }) => {
        if (state?.isRunning) return label(['calm', 'clock'], say.running)
        const at = state?.endedAt ?? null
        return at === null ? say.none : moment(visit, at)
      },
    },
    { name: say.forgotten, isNumeric: true, cell: ({ state }) => count(state?.forgotten ?? 0) },
    { name: say.inAll, isNumeric: true, cell: ({ state }) => count(state?.forgottenInAll ?? 0) },
    { name: say.left, isNumeric: true, cell: ({ left }) => count(left) },
  ]
}

function fixedColumns({ language }: OpsVisit): Column<[what: string, period: string]>[] {
  const say = words[language]
  return [
    { name: say.what, isTitle: true, cell: ([what]) => what },
    { name: say.period, cell: ([, period]) => period },
  ]
}
