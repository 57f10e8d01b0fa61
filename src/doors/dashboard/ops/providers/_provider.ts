import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment } from '#doors/dashboard/frame/components.ts'
import { providerPlace } from '#doors/dashboard/frame/kinds.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { ProviderState } from '#operations/health/judge.ts'
import { floatCell, floatWords } from './float-cell.ts'
import {
  providerHref,
  providerOf,
  providerState,
  providerWords,
  stateSince,
  successText,
} from './provider-words.ts'

const words = inBoth({
  fr: {
    figures: fr`Chiffres`,
    reason: 'Motif de la pause',
    breaker: 'Disjoncteur',
    breakers: {
      closed: fr`fermé : les ordres passent`,
      half_open: fr`semi-ouvert : essai avec un ordre`,
      open: fr`ouvert : aucun ordre ne part`,
      unknown: fr`aucun processus ne répond`,
    },
    succeeded: fr`Réussis, dernière heure`,
    failed: fr`Échoués chez le prestataire`,
    outside: fr`Échoués à cause du payeur ou d'autres`,
    open: 'Ordres ouverts',
    parked: fr`Dont à décider`,
    pause: 'Mettre en pause',
    resume: 'Reprendre',
    requery: 'Interroger sur les ordres ouverts',
  },
  en: {
    figures: 'Figures',
    reason: 'Reason for the pause',
    breaker: 'Circuit breaker',
    breakers: {
      closed: 'closed: orders go through',
      half_open: 'half-open: testing with one order',
      open: 'open: no orders are sent',
      unknown: 'no process reports',
    },
    succeeded: 'Succeeded, last hour',
    failed: 'Failed at the provider',
    outside: 'Failed because of the payer or others',
    open: 'Open orders',
    parked: 'Of which to decide',
    pause: 'Pause',
    resume: 'Resume',
    requery: 'Ask about open orders',
  },
})

/** GET /dashboard/ops/providers/:provider, such as WALLETA_SN */
export default function provider(pages: Pages, { health }: DashboardContext): void {
  pages.screen('/dashboard/ops/providers/:provider', 'ops.read', async (visit) => {
    const one = providerOf(visit, await health.providers())
    if (one === undefined) return undefined
    const title = providerPlace(visit.language, one)
    const back = providerWords[visit.language].title
    return {
      title,
      section: 'providers',
      body: html`<p class="back"><a href="/dashboard/ops/providers">${back}</a></p>
<div class="head"><h1>${title}</h1>${providerState(visit, one)}</div>
${ways(visit, one)}
<div class="columns">${stateCard(visit, one)}${figuresCard(visit, one)}</div>`,
    }
  })
}

/** Each leads to a page that says what will happen. */
function ways(visit: OpsVisit, one: ProviderState): Html {
  const say = words[visit.language]
  const path = providerHref(one)
  const way = (verb: string, text: string, kind = 'second') =>
    html`<a class="button ${kind}" href="${path}/${verb}">${text}</a>`
  const change = one.isPaused ? way('resume', say.resume, '') : way('pause', say.pause, 'danger')
  return html`<p class="ways">${visit.may('ops.providers.change') && change}
${visit.may('ops.transactions.requery') && one.open > 0 && way('requery', say.requery)}</p>`
}

function stateCard(visit: OpsVisit, one: ProviderState): Html {
  const say = words[visit.language]
  const names = providerWords[visit.language]
  const { breaker } = one
  const isMixed = breaker.openIn > 0 && breaker.openIn < breaker.processes
  const where = isMixed && html` (${names.inSome(breaker.openIn, breaker.processes)})`
  const since = stateSince(one)
  return html`<section class="card"><h2>${names.orders}</h2>${facts([
    [names.since, since && moment(visit, since)],
    [say.reason, one.pauseReason !== null && html`<bdi>${one.pauseReason}</bdi>`],
    [say.breaker, html`${say.breakers[breaker.state]}${where}`],
    [names.p95, one.p95Ms === null ? '–' : names.ms(one.p95Ms)],
    [floatWords[visit.language].name, floatCell(visit, one)],
  ])}</section>`
}

function figuresCard(visit: OpsVisit, one: ProviderState): Html {
  const say = words[visit.language]
  const names = providerWords[visit.language]
  return html`<section class="card"><h2>${say.figures}</h2>${facts([
    [names.success, successText(visit, one)],
    [say.succeeded, one.succeeded],
    [say.failed, one.failed],
    [say.outside, one.failedOutside],
    [say.open, one.open],
    [say.parked, one.parked > 0 && one.parked],
    [names.oldest, one.oldestOpenAt && moment(visit, one.oldestOpenAt)],
  ])}</section>`
}
