import type { Statement } from '#backoffice/recon/import/statement.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import {
  facts,
  hrefWith,
  moment,
  money,
  moneyFact,
  percentText,
  tabs,
} from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import { countSet, filterFold, hidden, toolbar } from '#doors/dashboard/frame/toolbar.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { lineKinds } from '#formats/statements/statement.ts'
import { inParty, partyWord, spanOf } from '../parties.ts'
import { reconWords } from '../words.ts'
import { balanceCard } from './balance-card.ts'
import { lineList, tabNames, tabOf } from './line-list.ts'
import { words } from './words.ts'

const root = '/dashboard/ops/recon'

/** GET /dashboard/ops/recon/statements/:id: what was found in a statement */
export default function statement(pages: Pages, context: DashboardContext): void {
  pages.screen(
    '/dashboard/ops/recon/statements/:id',
    'ops.recon.read',
    async (visit) => {
      const id = visit.part('id')
      return isUuid(id) ? statementScreen(context, visit, id, {}) : undefined
    },
    'statement',
  )
}

/** A statement, with what is wrong with a form that was sent. */
export async function statementScreen(
  context: DashboardContext,
  asked: OpsVisit,
  id: string,
  problems: Problems,
): Promise<Screen> {
  const { recon } = context
  const found = await recon.get(id)
  const visit = inParty(asked, found)
  const { language } = visit
  const isRead = found.state === 'read'
  const isStored = isRead || found.state === 'matching'
  return {
    title: found.name,
    section: 'recon',
    body: html`<p class="back"><a href="${root}">${reconWords[language].title}</a></p>
<div class="head"><h1><bdi>${found.name}</bdi></h1><div class="ways">${
      isRead && reportWays(visit, found)
    }</div></div>
${problemList(language, problems)}
${
  found.state === 'withdrawn'
    ? html`<p class="notice">${words[language].withdrawn}</p>`
    : !isRead && progress(visit, found)
}
${isRead && balanceCard(visit, found, await recon.balance(found))}
${summary(visit, found)}
${isRead && html`${bucketTabs(visit, found)}${filterForm(visit)}`}
${isRead && (await lineList(context, visit, found))}
${isStored && visit.may('ops.recon.import') && withdrawCard(visit, found, problems)}`,
  }
}

/** What the form that withdraws a statement shows of it. */
export function toldBy({ language }: OpsVisit, one: Statement): Fact[] {
  const say = words[language]
  return [
    { name: 'statement', label: reconWords[language].file, value: one.id, show: () => one.name },
    { name: 'lines', label: say.lines, value: one.lines },
    moneyFact('fees', say.fees, one.fees),
    moneyFact('transfers', say.transfers, one.transfers),
  ]
}

function withdrawCard(visit: OpsVisit, one: Statement, problems: Problems): Html {
  const say = words[visit.language]
  const { reason } = problems
  return html`<details class="card fold"${
    Object.keys(problems).length > 0 && html` open`
  }><summary>${say.withdraw}</summary><p>${say.withdrawText}</p>
<form method="post" action="${root}/statements/${one.id}/withdraw">${tokenField(
    visit,
    toldBy(visit, one),
  )}
${field(
  { name: 'reason', label: say.reason, maxLength: 500, isRequired: true, autocomplete: 'off' },
  reason === undefined ? {} : { reason },
)}
<button class="danger">${say.withdrawDo}</button></form></details>`
}

function reportWays({ language }: OpsVisit, { id }: Statement): Piece {
  const say = words[language]
  return (['csv', 'xlsx', 'pdf'] as const).map(
    (form) =>
      html`<a class="button second" href="${root}/report?form=${form}&amp;statement=${id}" download
 data-turbo="false">${say.report} ${form.toUpperCase()}</a>`,
  )
}

function progress({ language }: OpsVisit, { id, share, state }: Statement): Html {
  const say = words[language]
  const path = `${root}/statements/${id}`
  const stateWord = reconWords[language].statementStates[state]
  return html`<section class="card">
<progress max="1000" value="${share}" aria-label="${say.progress}"></progress>
<p>${stateWord} · ${percentText(language, share)}</p>
<p class="ways"><a class="button second" href="${path}">${say.refresh}</a></p></section>`
}

function summary(visit: OpsVisit, one: Statement): Html {
  const { language } = visit
  const say = words[language]
  const { provider } = reconWords[language]
  return html`<details class="card fold"><summary>${say.about}</summary>${facts([
    [provider, partyWord(language, one)],
    [say.time, one.fromAt !== null && one.toAt !== null && spanOf(visit, one.fromAt, one.toAt)],
    [say.format, one.format],
    [say.lines, String(one.lines)],
    [say.ended, String(one.ended)],
    [say.known, one.known > 0 && String(one.known)],
    [say.net, money(one.net)],
    [say.fees, money(one.fees)],
    [say.transfers, one.transfers !== 0 && money(one.transfers)],
    [say.by, html`<bdi>${one.importedBy}</bdi> · ${moment(visit, one.importedAt)}`],
    [say.hash, one.fileHash !== null && html`<code class="whole">${one.fileHash}</code>`],
  ])}</details>`
}

function bucketTabs(visit: OpsVisit, one: Statement): Html {
  const say = words[visit.language]
  const counts = {
    matched: one.matched,
    ours_only: one.oursOnly,
    theirs_only: one.theirsOnly,
    different: one.different,
    known: one.known,
  }
  const current = tabOf(visit)
  return tabs(
    say.found,
    tabNames
      .filter((name) => name !== 'known' || one.known > 0)
      .map((name) => ({
        href: hrefWith({ ...visit, query: {} }, { tab: name }),
        text: `${say.tabs[name]} (${counts[name]})`,
        isCurrent: name === current,
      })),
  )
}

/** Narrows the lines of a tab down. */
function filterForm(visit: OpsVisit): Piece {
  const { language, query } = visit
  const say = words[language]
  const tab = tabOf(visit)
  if (tab === 'ours_only') return null
  const { all, kind, lineKinds: kinds } = reconWords[language]
  const options: [string, string][] = [
    ['', all],
    ...lineKinds.map((one): [string, string] => [one, kinds[one]]),
  ]
  const fields = [
    hidden('tab', tab),
    field({ name: 'kind', label: kind, value: query.kind ?? '', options }),
    field({ name: 'q', label: say.search, value: query.q ?? '', autocomplete: 'off' }),
  ]
  return toolbar(filterFold(visit, { fields, count: countSet(visit, ['kind', 'q']), problems: {} }))
}
