import { type Html, html } from '#base/kit/html.ts'
import type { Asked } from '#operations/alerts/alertmanager.ts'
import { type Alert, spans } from '#operations/alerts/open.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { alertWords as words } from './alerts/words.ts'
import { levelLabel } from './health-parts.ts'

const path = '/dashboard/ops/alerts'

/** GET /dashboard/ops/alerts: what fires, who has taken it on, and a test that must arrive */
export default function alerts(pages: Pages, context: DashboardContext): void {
  pages.screen(path, 'ops.read', async (visit) => {
    const say = words[visit.language]
    const fired = await context.alerts?.firing()
    const mayChange = fired?.isAnswered === true && visit.may('ops.alerts.change')
    return {
      title: say.title,
      section: 'health',
      body: html`<div class="head"><h1>${say.title}</h1></div><p class="hint">${say.lead}</p>
${firing(visit, fired)}
${
  mayChange &&
  html`<form class="card" method="post" action="${path}/test">${tokenField(visit)}
<p class="hint">${say.testHint}</p><button class="second">${say.test}</button></form>`
}`,
    }
  })

  pages.action(`${path}/test`, { action: 'ops.alerts.change', reviewed: null }, async (visit) => {
    const { tested, failed } = words[visit.language]
    const asked = await context.alerts?.sendTest(visit.actor)
    if (asked === undefined) return undefined
    if (!asked.isAnswered) return { to: path, text: failed(asked.why), tone: 'bad' }
    return { to: path, text: tested }
  })

  pages.action(
    `${path}/acknowledge`,
    { action: 'ops.alerts.change', reviewed: null },
    async (visit, form) => {
      const { acknowledged, over, failed } = words[visit.language]
      const span = spans.find((one) => one === form.get('span'))
      if (span === undefined) return undefined
      const order = { id: form.get('id'), span, by: visit.actor }
      const asked = await context.alerts?.acknowledge(order)
      if (asked === undefined) return undefined
      if (!asked.isAnswered) return { to: path, text: failed(asked.why), tone: 'bad' }
      return { to: path, text: asked.value ? acknowledged : over }
    },
  )
}

function firing(visit: OpsVisit, fired: Asked<Alert[]> | undefined): Html {
  const say = words[visit.language]
  if (fired === undefined) return notTold(visit)
  if (!fired.isAnswered)
    return html`<p class="notice bad" role="alert">${say.silent(fired.why)}</p>`
  if (fired.value.length === 0) return empty(say.none)
  const sorted = fired.value.toSorted((one, other) => rankOf(one) - rankOf(other))
  return table(sorted, columnsFor(visit), { caption: say.title })
}

/** What nobody has taken on comes first, the worst before all. */
function rankOf({ severity, acknowledged, isInhibited }: Alert): number {
  return (severity === 'critical' ? 0 : 1) + (acknowledged === null && !isInhibited ? 0 : 2)
}

/** That nobody is told of anything, and what to do about it. */
export function notTold({ language }: OpsVisit): Html {
  const say = words[language]
  return html`<p class="notice">${say.off}
<a href="/dashboard/ops/runbooks/alerts">${say.how}</a></p>`
}

function columnsFor(visit: OpsVisit): Column<Alert>[] {
  const say = words[visit.language]
  return [
    {
      name: say.alert,
      isTitle: true,
      // As the rules have it.
      cell: ({ name, summary }) => html`<span lang="en">${summary || name}</span>`,
    },
    {
      name: say.severity,
      cell: ({ severity }) => levelLabel(visit, severity === 'critical' ? 'act' : 'watch'),
    },
    { name: say.since, cell: ({ since }) => moment(visit, since) },
    { name: say.taken, cell: (one) => takenOn(visit, one) },
    {
      name: say.guide,
      key: 'guide',
      cell: ({ runbook }) => runbook !== null && html`<a href="${runbook}">${say.how}</a>`,
    },
    ...(visit.may('ops.alerts.change')
      ? [{ name: '', cell: (one: Alert) => acknowledgeForms(visit, one) }]
      : []),
  ]
}

function takenOn(visit: OpsVisit, { acknowledged, isInhibited }: Alert): Html | string {
  const say = words[visit.language]
  if (acknowledged === null) return isInhibited ? say.inhibited : '–'
  const { by, until } = acknowledged
  return html`${say.takenBy} <bdi>${by}</bdi> ${say.until} ${moment(visit, until)}`
}

function acknowledgeForms(visit: OpsVisit, { id, name, acknowledged }: Alert): Html | false {
  const say = words[visit.language]
  return (
    acknowledged === null &&
    html`<form method="post" action="${path}/acknowledge">${tokenField(visit)}
<input type="hidden" name="id" value="${id}">
${spans.map(
  (span) =>
    html`<button class="second" name="span" value="${span}">${
      say.acknowledge[span]
    }<span class="unseen"> ${name}</span></button> `,
)}</form>`
  )
}
