import type { Prepared } from '#backoffice/approvals/prepare.ts'
import { type Case, type Mending, type Way, ways } from '#backoffice/recon/cases/case.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { formatAmount } from '#base/kit/money.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, money, statusWord } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import type { Fact, Reviewed } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { transactionOf } from '#doors/dashboard/ops/approvals/about.ts'
import { factsOf, merchantOf } from '#doors/dashboard/ops/approvals/asked.ts'
import { postedCard } from '#doors/dashboard/ops/approvals/new.ts'
import { readOrder, readTyped, type Typed } from '#doors/dashboard/ops/approvals/read-order.ts'
import { accountWord } from '#doors/dashboard/ops/approvals/words.ts'
import { reconWords } from '#doors/dashboard/ops/recon/words.ts'
import { adjustableAccounts } from '#money/ledger/adjustment.ts'
import { caseWords as words } from '../words.ts'

const root = '/dashboard/ops/recon/cases'

/** GET, POST /dashboard/ops/recon/cases/:id/mend?how=…: what would happen, and doing it */
export default function mend(pages: Pages, context: DashboardContext): void {
  const { recon } = context

  /** What is asked for by an address or a form. */
  async function askedOf(
    visit: OpsVisit,
    given: Record<string, string | undefined>,
  ): Promise<Asked | undefined> {
    const how = ways.find((one) => one === given.how)
    const id = visit.part('id')
    if (how === undefined || !isUuid(id)) return undefined
    const { case: one } = await recon.case(id)
    const typed = typedOf(one, given)
    const read = await readMending(context, visit, how, typed)
    // A name is looked up once: the review sends the client's own id.
    if ('mending' in read && read.mending.how === 'adjust')
      typed.client = String(read.mending.clientId)
    return { one, how, typed, ...read }
  }

  pages.screen('/dashboard/ops/recon/cases/:id/mend', 'ops.recon.mend', async (visit) => {
    const asked = await askedOf(visit, visit.query)
    if (asked === undefined) return undefined
    if (asked.how === 'adjust' && visit.query.review === undefined)
      return adjustScreen(visit, asked.one, asked.typed, {})
    return confirmScreen(context, visit, asked, {})
  })

  const reviewed: Reviewed<OpsVisit, Asked & { seen: Fact[] }> = {
    find: async (visit, form) => {
      const asked = await askedOf(visit, form.fields)
      if (asked === undefined) return undefined
      if ('problems' in asked) return { ...asked, seen: [] }
      const preview = await previewOf(context, visit, asked)
      if ('problems' in preview) return { ...asked, seen: [] }
      const order = preview.prepared?.order
      // Only the payment that was seen is sent back.
      const expected = order?.kind === 'send_back' ? { expected: order.expected } : {}
      const mending = { ...asked.mending, ...expected } as Mending
      return { ...asked, mending, seen: await seenOf(context, visit, asked, preview) }
    },
    facts: (_visit, { seen }) => seen,
    again: (visit, asked, _form, changed) => confirmScreen(context, visit, asked, {}, changed),
  }

  pages.action(
    '/dashboard/ops/recon/cases/:id/mend',
    { action: 'ops.recon.mend', isSensitive: true, reviewed },
    async (visit, form, asked) => {
      const { one, typed } = asked
      const { id } = one
      if ('problems' in asked) return adjustScreen(visit, one, typed, asked.problems)
      try {
        const asker = { person: visit.actor, actor: visit.actor }
        const number = `dash-${form.number}`
        const { requested } = await recon.mend(id, asked.mending, asker, number)
        const { done, proposed } = words[visit.language]
        return { to: `${root}/${id}`, text: requested?.kind === 'proposed' ? proposed : done }
      } catch (problem) {
        const problems = problemsOf(problem, visit.language)
        return confirmScreen(context, visit, asked, problems)
      }
    },
  )
}

/** How a case is to be mended, or what is wrong with what was typed. */
type Asked = { one: Case; how: Way; typed: Typed } & ({ mending: Mending } | { problems: Problems })

/** What it would do as things are now; a mending that moves nothing prepares nothing. */
type Preview = { prepared: Prepared | null } | { problems: Problems }

async function previewOf(
  { recon }: DashboardContext,
  { language }: OpsVisit,
  { one, mending }: Extract<Asked, { mending: Mending }>,
): Promise<Preview> {
  try {
    return { prepared: await recon.previewMend(one, mending) }
  } catch (problem) {
    return { problems: problemsOf(problem, language) }
  }
}

/** What the review shows, and what must still be so when it is sent; its reason is typed there. */
async function seenOf(
  context: DashboardContext,
  visit: OpsVisit,
  { one, how, typed }: Asked,
  { prepared }: { prepared: Prepared | null },
): Promise<Fact[]> {
  const { language } = visit
  const say = words[language]
  const head: Fact[] = [
    { name: 'case', label: reconWords[language].title, value: one.id },
    { name: 'how', label: say.how, value: how, show: () => say.ways[how] },
    { name: 'caseState', label: reconWords[language].state, value: one.state },
  ]
  if (prepared === null) return head
  const merchant = await merchantOf(context.clients, prepared.order.clientId)
  const about = await transactionOf(context, prepared.order)
  const moved = factsOf(visit, { typed: { ...typed, reason: '' }, prepared, merchant, about })
  return [...head, ...moved]
}

/** What was typed; a correction is first proposed as the difference stands. */
function typedOf(one: Case, given: Record<string, string | undefined>): Typed {
  const { provider, country, amount, clientId } = one
  return readTyped({
    client: clientId === null ? '' : String(clientId),
    amount: amount === 0 ? '' : String(Math.abs(amount)),
    direction: amount < 0 ? 'take' : 'give',
    account: `provider:${provider}:${country}`,
    ...given,
    kind: 'adjust',
    // Its own is made of the difference: once for each.
    ref: one.id,
  })
}

async function readMending(
  context: DashboardContext,
  { language }: OpsVisit,
  how: Way,
  typed: Typed,
): Promise<{ mending: Mending } | { problems: Problems }> {
  const { reason } = typed
  if (how === 'success' || how === 'failed') return { mending: { how: 'resolve', as: how, reason } }
  if (how !== 'adjust') return { mending: { how, reason } }
  const read = await readOrder(context, language, typed)
  if ('problems' in read) return read
  if (read.order.kind !== 'adjust') throw new Error(`${read.order.kind} is no correction`)
  const { clientId, amount, isGiven, account } = read.order
  return { mending: { how, clientId, amount, isGiven, account, reason } }
}

function screen({ language }: OpsVisit, { id }: Case, how: Way, body: Html): Screen {
  const say = words[language]
  const title = say.ways[how]
  return {
    title,
    section: 'recon',
    body: html`<p class="back"><a href="${root}/${id}">${say.back}</a></p>
<div class="head"><h1>${title}</h1></div>${body}`,
  }
}

function reasonField({ language }: OpsVisit, typed: Typed, problems: Problems): Html {
  const { reason, reasonHint } = words[language]
  return field(
    {
      name: 'reason',
      label: reason,
      hint: reasonHint,
      value: typed.reason,
      isRequired: true,
      maxLength: 500,
      autocomplete: 'off',
    },
    problems,
  )
}

/** What is corrected: whose balance, by how much, against which account. */
function adjustScreen(visit: OpsVisit, one: Case, typed: Typed, problems: Problems): Screen {
  const { language } = visit
  const say = words[language]
  const directions: [string, string][] = [
    ['give', say.give_merchant],
    ['take', say.take_merchant],
  ]
  const accounts = adjustableAccounts
    .filter((name) => name === 'fees' || name === `provider:${one.provider}:${one.country}`)
    .map((name): [string, string] => [name, accountWord(language, name)])
  const common = { isRequired: true, autocomplete: 'off' }
  return screen(
    visit,
    one,
    'adjust',
    html`<form class="card" method="get" action="${root}/${one.id}/mend">
${problemList(language, problems)}
<input type="hidden" name="how" value="adjust"><input type="hidden" name="review" value="yes">
${field(
  { name: 'client', label: say.client, hint: say.clientHint, value: typed.client, ...common },
  problems,
)}
${field(
  { name: 'amount', label: say.amount, value: typed.amount, inputmode: 'numeric', ...common },
  problems,
)}
${field(
  { name: 'direction', label: say.direction, value: typed.direction, options: directions },
  problems,
)}
${field({ name: 'account', label: say.against, value: typed.account, options: accounts }, problems)}
${reasonField(visit, typed, problems)}
<button>${say.review}</button></form>`,
  )
}

/** What will happen, in francs, before it does. */
async function confirmScreen(
  context: DashboardContext,
  visit: OpsVisit,
  asked: Asked,
  problems: Problems,
  changed?: Html,
): Promise<Screen> {
  const { language } = visit
  const say = words[language]
  const { one, how, typed } = asked
  if ('problems' in asked) return adjustScreen(visit, one, typed, asked.problems)
  const preview = await previewOf(context, visit, asked)
  if ('problems' in preview) {
    const sentences = Object.values({ ...problems, ...preview.problems })
    const refused = html`<div class="notice bad"><p>${say.cannot} ${sentences.join(' ')}</p></div>`
    return { ...screen(visit, one, how, refused), status: 422 }
  }
  const { prepared } = preview
  const sealed = await seenOf(context, visit, asked, preview)
  const { approvals } = context
  const isTwofold =
    prepared !== null && (await approvals.needsSecondPerson({ ...prepared, person: visit.actor }))
  const people = isTwofold ? say.two(formatAmount(approvals.above ?? 0)) : say.alone
  return screen(
    visit,
    one,
    how,
    html`${changed}<section class="card"><h2>${say.check}</h2><p>${say.what[how]}</p>
${prepared !== null && seen(visit, prepared)}</section>
${postedCard(visit, prepared)}
<form class="card" method="post" action="${root}/${one.id}/mend">${problemList(language, problems)}
${tokenField(visit, sealed)}
<input type="hidden" name="how" value="${how}">
${
  how === 'adjust' &&
  (['client', 'amount', 'direction', 'account'] as const).map(
    (name) => html`<input type="hidden" name="${name}" value="${typed[name]}">`,
  )
}
${reasonField(visit, typed, problems)}
${prepared !== null && html`<p>${people}</p>`}
<p class="ways"><button>${isTwofold ? say.propose : say.doIt}</button>
<a class="button second" href="${root}/${one.id}">${say.back}</a></p></form>`,
  )
}

function seen({ language }: OpsVisit, { amount, seen: known }: Prepared): Html {
  const say = words[language]
  const { available, status } = known
  return facts([
    [reconWords[language].amount, money(amount)],
    [say.now, typeof available === 'number' && money(available)],
    [reconWords[language].state, typeof status === 'string' && statusWord(language, status)],
  ])
}
