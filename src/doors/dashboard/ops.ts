import { createHash } from 'node:crypto'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { Check, Level, ProviderState } from '#operations/health/judge.ts'
import { merchantsMax, type Overview } from '#operations/health/overview.ts'
import type { DashboardContext } from './context.ts'
import { countText, moment, money, tile } from './frame/components.ts'
import { providerWord } from './frame/kinds.ts'
import type { Pages } from './frame/pages.ts'
import { type Column, table } from './frame/table.ts'
import type { OpsVisit } from './frame/visit.ts'
import { alertWords } from './ops/alerts/words.ts'
import { notTold } from './ops/alerts.ts'
import { checkPlaces, checkWords } from './ops/check-words.ts'
import { archiveCell, closureCell, levelLabel, merchantTable, runbook } from './ops/health-parts.ts'
import { healthWords as words } from './ops/health-words.ts'
import { providerColumns } from './ops/providers/provider-columns.ts'

/** GET /dashboard/ops: the operators' home, whether it is the gateway, a provider or a merchant */
export default function operations(pages: Pages, context: DashboardContext): void {
  pages.screen(
    '/dashboard/ops',
    'ops.read',
    async (visit) => {
      const say = words[visit.language]
      const overview = await context.health.overview()
      return {
        title: say.title,
        section: 'health',
        body: html`<div class="head"><h1>${say.title}</h1><p class="ways"><a class="button second"
href="/dashboard/ops/alerts">${alertWords[visit.language].title}</a></p></div>
${context.config.mode === 'live' && context.alerts === null && notTold(visit)}
${parties(visit, overview)}
${checkList(visit, overview)}
<section class="stack"><h2>${say.providers}</h2>${providerTable(visit, overview)}</section>
<section class="stack"><h2>${say.merchants}</h2>
${merchantTable(visit, overview.merchants)}</section>
<details class="card fold"><summary>${say.processes}</summary>${processTable(
          visit,
          overview,
        )}</details>`,
      }
    },
    'health',
  )
}

/** What a page shows, without times that pass: it is read again only when something changes. */
export function versionOf(overview: Overview): string {
  const { checks, closures, providers, unconfigured, merchants, processes, archive } = overview
  const seen = [
    checks,
    closures,
    unconfigured.map(nameOf),
    archive.drill,
    providers.map((one) => ({ ...one, oldestOpenAt: null, p95Ms: null, float: null })),
    merchants.map((one) => ({ ...one, oldestAt: null })),
    processes.map(({ host, pid }) => [host, pid]),
  ]
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64url').slice(0, 16)
}

/** The answer to the first question: is it us, a provider or a merchant? */
function parties(visit: OpsVisit, overview: Overview): Html {
  const say = words[visit.language]
  const troubled = {
    gateway: overview.checks,
    providers: overview.providers,
    merchants: overview.merchants,
  }
  const tiles = (['gateway', 'providers', 'merchants'] as const).map((party) => {
    const count = troubled[party].filter(({ level }) => level !== 'good').length
    // Of the merchants only those with most are read.
    const isAll = party !== 'merchants' || count < merchantsMax
    const text = isAll ? String(count) : countText(visit.language, count, merchantsMax)
    return tile(say[party], levelLabel(visit, overview.parties[party]), [say.troubles(text)])
  })
  return html`<dl class="tiles">${tiles}</dl>`
}

/** What is wrong: how much, since when, and what to do; folded below, what is as it should be. */
function checkList(visit: OpsVisit, overview: Overview): Html {
  const say = words[visit.language]
  const levels = (level: Level) => overview.checks.filter((check) => check.level === level)
  const wrong = [...levels('act'), ...levels('watch')]
  const fine = levels('good')
  const columns: Column<Check>[] = [
    { name: say.what, isTitle: true, cell: (check) => placeOf(visit, check) },
    { name: say.state, cell: ({ level }) => levelLabel(visit, level) },
    { name: say.value, isNumeric: true, cell: (check) => valueOf(visit, check, overview) },
  ]
  return html`${
    wrong.length > 0 &&
    html`<ul class="card wrongs">${wrong.map(
      (check) => html`<li class="${check.level}"><h2>${placeOf(visit, check)}</h2>
${levelLabel(visit, check.level)}
<div class="hint">${valueOf(visit, check, overview)}</div>
<p>${checkWords[visit.language][check.name].todo}</p>${runbook(visit, check.name)}</li>`,
    )}</ul>`
  }
${
  fine.length > 0 &&
  html`<details class="card fold"><summary>${say.gateway} · ${say.inOrder(
    fine.length,
  )}</summary>${table(fine, columns, { caption: say.gateway })}</details>`
}`
}

function placeOf({ language }: OpsVisit, { name }: Check): Html {
  const { title } = checkWords[language][name]
  const href = checkPlaces[name]
  return href === null ? html`<span>${title}</span>` : html`<a href="${href}">${title}</a>`
}

function valueOf(
  visit: OpsVisit,
  { name, value, since }: Check,
  { archive, closures }: Overview,
): Piece {
  if (name === 'maintenance') return closureCell(visit, closures)
  if (name === 'backup') return archiveCell(visit, archive)
  if (name === 'suspense') return money(value)
  if (name === 'proof') return proofValue(visit, value, since)
  if (since !== null) return html`${words[visit.language].since} ${moment(visit, since)}`
  return name.endsWith('-due') ? '' : value
}

function proofValue(visit: OpsVisit, breaks: number, at: Date | null): Piece {
  const say = words[visit.language]
  return at === null ? say.never : html`${say.breaks(breaks)}, ${moment(visit, at)}`
}

function providerTable(visit: OpsVisit, { providers, unconfigured }: Overview): Html {
  const say = words[visit.language]
  const [title, ...figures] = providerColumns(visit)
  const columns: Column<ProviderState & { level: Level }>[] = [
    ...(title === undefined ? [] : [title]),
    {
      name: say.state,
      cell: ({ level }) =>
        html`<div>${levelLabel(visit, level)}${
          level !== 'good' && html`<br>${runbook(visit, 'provider-down')}`
        }</div>`,
    },
    ...figures,
  ]
  // There are many, and mostly all is well with them.
  const [fine, troubled] = [true, false].map((isFine) =>
    providers.filter(({ level }) => (level === 'good') === isFine),
  ) as [typeof providers, typeof providers]
  const list = (some: typeof providers) =>
    some.length > 0 && table(some, columns, { caption: say.providers })
  const names = unconfigured.map((one) => providerWord(visit.language, nameOf(one))).join(', ')
  return html`${providers.length === 0 && html`<p>${say.noProvider}</p>`}${list(troubled)}${
    fine.length > 0 &&
    html`<details class="card fold"><summary>${say.fine(fine.length)}</summary>
${list(fine)}</details>`
  }${
    names !== '' &&
    html`<details class="card fold"><summary>${say.unconfigured(unconfigured.length)}</summary>
<p>${names}</p></details>`
  }`
}

function processTable(visit: OpsVisit, { processes }: Overview): Html {
  const say = words[visit.language]
  if (processes.length === 0) return html`<p>${say.noProcess}</p>`
  return table(
    processes,
    [
      { name: say.process, isTitle: true, cell: ({ host, pid }) => `${host} · ${pid}` },
      { name: say.role, cell: ({ role }) => say.roles[role] },
      { name: say.reported, cell: ({ at }) => moment(visit, at) },
    ],
    { caption: say.processes },
  )
}
