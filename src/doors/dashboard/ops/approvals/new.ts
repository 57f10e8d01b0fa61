import { approvalKinds, type Order } from '#backoffice/approvals/approval.ts'
import type { Prepared } from '#backoffice/approvals/prepare.ts'
import { type Html, html } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, money } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { shownFacts } from '#doors/dashboard/frame/reviewed.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import { chips } from '#doors/dashboard/frame/toolbar.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { adjustableAccounts } from '#money/ledger/adjustment.ts'
import { askedOf, factsOf, type Reviewable } from './asked.ts'
import { linesOf } from './lines.ts'
import { orderWords } from './order-words.ts'
import { fieldNames, fieldsOf, isNeeded, kindOf, readTyped, type Typed } from './read-order.ts'
import { accountWord, kindTitle } from './words.ts'

const path = '/dashboard/ops/approvals/new'

/** GET, POST /dashboard/ops/approvals/new?kind=fund&client=…: typed, reviewed, proposed or done */
export default function propose(pages: Pages, context: DashboardContext): void {
  const { approvals } = context

  pages.form(
    '/dashboard/ops/approvals/new',
    {
      action: 'ops.money.propose',
      isSensitive: true,
      first: {
        isSent: ({ query }) => query.review !== undefined,
        show: (visit, form, problems) => formScreen(visit, readTyped(form.fields), problems),
      },
      find: (visit, form) => askedOf(context, visit, readTyped(form.fields)),
      facts: factsOf,
      show: (visit, asked, { changed }) => reviewScreen(context, visit, asked, changed),
    },
    async (visit, form, { prepared: { order } }) => {
      const say = orderWords[visit.language]
      const asker = { person: visit.actor, actor: visit.actor }
      const requested = await approvals.request(order, asker, `dash-${form.number}`)
      if (requested.kind === 'done') return { to: whereDone(order), text: say.done }
      return { to: `/dashboard/ops/approvals/${requested.approval.id}`, text: say.proposed }
    },
  )
}

/** Where a person sees what was done: at the transaction that it was about. */
function whereDone(order: Order): string {
  const isOfOne = order.kind === 'resolve' || order.kind === 'send_back'
  return isOfOne ? `/dashboard/ops/transactions/${order.id}` : '/dashboard/ops/approvals'
}

function screen({ language }: OpsVisit, typed: Typed, body: Html): Screen {
  const title = kindTitle(language, kindOf(typed))
  return {
    title,
    section: 'approvals',
    body: html`<p class="back"><a href="/dashboard/ops/approvals">${
      orderWords[language].back
    }</a></p>
<div class="head"><h1>${title}</h1></div>${body}`,
  }
}

function formScreen(visit: OpsVisit, typed: Typed, problems: Problems): Screen {
  const kind = kindOf(typed)
  const ways = approvalKinds.map((one) => ({
    href: `${path}?kind=${one}`,
    text: kindTitle(visit.language, one),
    isCurrent: one === kind,
  }))
  return screen(
    visit,
    typed,
    html`${chips(ways)}
<form class="card" method="get" action="${path}">${problemList(visit.language, problems)}
<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="review" value="yes">
${fieldsOf[kind].map((name) => inputOf(visit, name, typed, problems))}
<button>${orderWords[visit.language].review}</button></form>`,
  )
}

function inputOf(
  { language }: OpsVisit,
  name: keyof Typed,
  typed: Typed,
  problems: Problems,
): Html {
  const say = orderWords[language]
  const isRequired = isNeeded(kindOf(typed), name)
  const common = { name, value: typed[name], isRequired, autocomplete: 'off' }
  if (name === 'direction') {
    const options: [string, string][] = [
      ['give', say.give],
      ['take', say.take],
    ]
    return field({ ...common, label: say.direction, options }, problems)
  }
  if (name === 'as') {
    const options: [string, string][] = [
      ['', '—'],
      ['success', say.success],
      ['failed', say.failed],
    ]
    return field({ ...common, label: say.as, options }, problems)
  }
  if (name === 'account') {
    const options = adjustableAccounts.map((one): [string, string] => [
      one,
      accountWord(language, one),
    ])
    return field({ ...common, label: say.account, options }, problems)
  }
  const hints: Partial<Typed> = {
    ref: say.refHint,
    reason: say.reasonHint,
    ...(isRequired ? {} : { client: say.clientHint }),
  }
  const hint = hints[name]
  const isAmount = name === 'amount'
  return field(
    {
      ...common,
      label: say[name as 'client' | 'amount' | 'ref' | 'transaction' | 'reason'],
      ...(hint === undefined ? {} : { hint }),
      ...(isAmount ? { inputmode: 'numeric' } : {}),
    },
    problems,
  )
}

async function reviewScreen(
  { approvals }: DashboardContext,
  visit: OpsVisit,
  asked: Reviewable,
  changed?: Html,
): Promise<Screen> {
  const say = orderWords[visit.language]
  const { typed, prepared } = asked
  const { available } = prepared.seen
  const isTwofold = await approvals.needsSecondPerson({ ...prepared, person: visit.actor })
  const edit = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
  const reviewed = factsOf(visit, asked)
  return screen(
    visit,
    typed,
    html`${changed}<section class="card"><h2>${say.check}</h2>${facts([
      ...shownFacts(reviewed),
      [say.now, typeof available === 'number' && money(available)],
    ])}</section>
${postedCard(visit, prepared)}
<form class="card" method="post" action="${path}">${tokenField(visit, reviewed)}
<input type="hidden" name="review" value="yes">
${fieldNames.map(
  (name) => typed[name] !== '' && html`<input type="hidden" name="${name}" value="${typed[name]}">`,
)}
<p>${isTwofold ? say.two(formatAmount(approvals.above ?? 0)) : say.alone}</p>
<p class="ways"><button>${isTwofold ? say.propose : say.doIt}</button>
<a class="button second" href="${path}?${edit.toString()}">${say.edit}</a></p></form>`,
  )
}

/** What is added to which accounts; null: nothing moves. */
export function postedCard({ language }: OpsVisit, prepared: Prepared | null): Html {
  const say = orderWords[language]
  const lines = prepared === null ? [] : linesOf(prepared)
  const body =
    lines.length === 0
      ? html`<p>${say.nothing}</p>`
      : table(
          lines,
          [
            { name: say.name, isTitle: true, cell: ([name]) => accountWord(language, name) },
            { name: say.total, isNumeric: true, cell: ([, francs]) => money(francs) },
          ],
          { caption: say.posted },
        )
  return html`<section class="card"><h2>${say.posted}</h2>${body}</section>`
}
