import { createHash } from 'node:crypto'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { Check, Level, ProviderState } from '#operations/health/judge.ts'
import { merchantsMax, type Overview } from '#operations/health/overview.ts'
import type { DashboardContext } from './context.ts'
import { countText, moment, money } from './frame/components.ts'
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
<section class="card"><h2>${say.gateway}</h2>${checkTable(visit, overview)}</section>
<section class="card"><h2>${say.providers}</h2>${providerTable(visit, overview)}</section>
<section class="card"><h2>${say.merchants}</h2>${merchantTable(visit, overview.merchants)}</section>
<section class="card"><h2>${say.processes}</h2>${processTable(visit, overview)}</section>`,
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
    return html`<div class="tile"><dt>${say[party]}</dt><dd>${levelLabel(
      visit,
      overview.parties[party],
    )}<small>${say.troubles(text)}</small></dd></div>`
  })
  return html`<dl class="tiles">${tiles}</dl>`
}

function checkTable(visit: OpsVisit, overview: Overview): Html {
  const { checks } = overview
  const say = words[visit.language]
  const texts = checkWords[visit.language]
  const columns: Column<Check>[] = [
    { name: say.what, isTitle: true, cell: (check) => placeOf(visit, check) },
    { name: say.state, cell: ({ level }) => levelLabel(visit, level) },
    { name: say.value, isNumeric: true, cell: (check) => valueOf(visit, check, overview) },
    {
      name: say.todo,
      key: 'prose',
      cell: ({ name, level }) => (level === 'good' ? '' : texts[name].todo),
    },
    {
      name: say.runbook,
      key: 'guide',
      cell: ({ name, level }) => (level === 'good' ? '' : runbook(visit, name)),
    },
  ]
  // On a phone the first cards are all that is seen at once: what needs somebody comes first.
  const urgency = ['act', 'watch', 'good']
  const sorted = checks.toSorted(
    (one, other) => urgency.indexOf(one.level) - urgency.indexOf(other.level),
  )
  return table(sorted, columns, { caption: say.gateway })
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
    { name: say.state, cell: ({ level }) => levelLabel(visit, level) },
    ...figures,
    {
      name: say.runbook,
      key: 'guide',
      cell: ({ level }) => (level === 'good' ? '' : runbook(visit, 'provider-down')),
    },
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
    html`<details class="fold"><summary>${say.fine(fine.length)}</summary>${list(fine)}</details>`
  }${
    names !== '' &&
    html`<details class="fold"><summary>${say.unconfigured(unconfigured.length)}</summary>
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
