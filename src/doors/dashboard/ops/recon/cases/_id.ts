import type { Case, Note, Way } from '#backoffice/recon/cases/case.ts'
import { gatewayActor } from '#backoffice/recon/cases/write-verdicts.ts'
import type { StoredLine } from '#backoffice/recon/import/statement.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment, money } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { inParty, partyWord } from '../parties.ts'
import { sideFacts, sideOf } from '../sides.ts'
import { caseState, reconWords } from '../words.ts'
import { caseWords as words } from './words.ts'

const root = '/dashboard/ops/recon'

/** GET /dashboard/ops/recon/cases/:id: a difference, both sides of it, and how it can be mended */
export default function oneCase(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/recon/cases/:id', 'ops.recon.read', async (visit) => {
    const id = visit.part('id')
    return isUuid(id) ? caseScreen(context, visit, id, {}) : undefined
  })
}

/** A difference, with what is wrong with a form that was sent. */
export async function caseScreen(
  { clients, people, recon }: DashboardContext,
  asked: OpsVisit,
  id: string,
  problems: Problems,
  typed = '',
): Promise<Screen> {
  const { case: one, line, notes } = await recon.case(id)
  const visit = inParty(asked, one)
  const { language } = visit
  const { title, kinds } = reconWords[language]
  const say = words[language]
  const operators = (await people.operators.list()).map(({ email }) => email)
  const client = one.clientId === null ? undefined : await clients.find(one.clientId)
  const mayMend = visit.may('ops.recon.mend')
  return {
    title: kinds[one.kind],
    section: 'recon',
    body: html`<p class="back"><a href="${root}">${title}</a> ·
<a href="${root}/cases">${say.all}</a></p>
<div class="head"><div><h1>${kinds[one.kind]}</h1>
<p class="large">${money(one.amount)} ${caseState(language, one)}</p></div></div>
${problemList(language, problems)}
<p class="notice">${say.why[one.kind]}</p>
${one.approvalId !== null && approvalNotice(visit, one)}
${mayMend && one.state === 'open' && mendCard(visit, one, await recon.ways(one))}
<div class="columns">${sides(visit, one, line)}</div>
${aboutCard(visit, one, client?.name)}
${mayMend && one.state !== 'closed' && assignCard(visit, one, operators)}
${noteCard(visit, one, notes, typed, mayMend)}`,
  }
}

function approvalNotice({ language }: OpsVisit, { approvalId, state }: Case): Html {
  const say = words[language]
  return html`<p class="notice">${state === 'waiting' ? say.waits : say.decided}
<a href="/dashboard/ops/approvals/${approvalId}">${say.proposal}</a></p>`
}

/** What can be done about a difference: each leads to a page that tells what it will do. */
function mendCard({ language }: OpsVisit, { id }: Case, ways: Way[]): Html {
  const say = words[language]
  return html`<section class="card"><h2>${say.mend}</h2><p class="ways">${ways.map(
    (how) =>
      html`<a class="button second" href="${root}/cases/${id}/mend?how=${how}">${
        say.ways[how]
      }</a>`,
  )}</p></section>`
}

function sides(visit: OpsVisit, one: Case, line: StoredLine | undefined): Html {
  const { theirs, ours, earlier } = one.details
  const say = reconWords[visit.language]
  const { absent, before } = words[visit.language]
  const named = line?.ourReference ?? null
  const reference = named === null ? null : html`<bdi>${named}</bdi>`
  const told = line === undefined ? theirs : sideOf(line)
  return html`${card(
    say.theirs,
    told === undefined ? html`<p>${absent}</p>` : sideFacts(visit, told, reference),
  )}
${card(say.ours, ours === undefined ? html`<p>${absent}</p>` : sideFacts(visit, ours))}
${earlier !== undefined && card(before, sideFacts(visit, earlier))}`
}

function card(title: string, body: Piece): Html {
  return html`<section class="card"><h2>${title}</h2>${body}</section>`
}

function aboutCard(visit: OpsVisit, one: Case, client: string | undefined): Html {
  const { language } = visit
  const say = words[language]
  const { provider, file, line, opened, person, nobody, transaction } = reconWords[language]
  const { transactionId, details, closedAt } = one
  const ledgerHref = `/dashboard/ops/transactions/${transactionId}#ledger`
  return html`<section class="card"><h2>${say.about}</h2>${facts([
    [say.stake, money(one.amount)],
    [provider, partyWord(language, one)],
    [
      file,
      html`<a href="${root}/statements/${one.statementId}"><bdi>${one.statementName}</bdi></a>${
        one.line !== null && html` · ${line} ${one.line}`
      }`,
    ],
    [
      transaction,
      transactionId !== null &&
        html`<a href="/dashboard/ops/transactions/${transactionId}">${say.look}</a> ·
<a href="${ledgerHref}">${say.postings}</a>`,
    ],
    [
      say.conflict,
      details.conflictId !== undefined &&
        html`<a href="/dashboard/ops/conflicts/${details.conflictId}">${say.look}</a>`,
    ],
    [say.client, client !== undefined && html`<bdi>${client}</bdi>`],
    [opened, moment(visit, one.openedAt)],
    [person, html`<bdi>${one.person ?? nobody}</bdi>`],
    [
      say.closed,
      closedAt !== null && html`<bdi>${one.closedBy}</bdi> · ${moment(visit, closedAt)}`,
    ],
    [say.how, one.closing !== null && reconWords[language].closings[one.closing]],
    // What closed by itself says how above, in the reader's language.
    [
      say.reason,
      one.reason !== null && one.closedBy !== gatewayActor && html`<bdi>${one.reason}</bdi>`,
    ],
  ])}</section>`
}

/** What the forms that assign a case show of it. */
export function assignedTo({ language }: OpsVisit, { id, person }: Case): Fact[] {
  const { title, person: label } = reconWords[language]
  return [
    { name: 'case', label: title, value: id },
    { name: 'assigned', label, value: person },
  ]
}

function assignCard(visit: OpsVisit, one: Case, operators: string[]): Html {
  const { language, actor } = visit
  const { id, person } = one
  const seen = assignedTo(visit, one)
  const say = words[language]
  const { person: label, nobody } = reconWords[language]
  const action = `${root}/cases/${id}/assign`
  const isMine = person?.toLowerCase() === actor.toLowerCase()
  const options: [string, string][] = [
    ['', nobody],
    ...operators.map((one): [string, string] => [one.toLowerCase(), one]),
  ]
  return html`<section class="card"><h2>${say.assign}</h2>${
    !isMine &&
    html`<form method="post" action="${action}">${tokenField(visit, seen)}
<input type="hidden" name="person" value="${actor}"><button class="second">${
      say.take
    }</button></form>`
  }<form method="post" action="${action}">${tokenField(visit, seen)}
${field({ name: 'person', label, value: person?.toLowerCase() ?? '', options })}
<button class="second">${say.give}</button></form></section>`
}

function noteCard(
  visit: OpsVisit,
  { id }: Case,
  notes: Note[],
  typed: string,
  mayMend: boolean,
): Html {
  const say = words[visit.language]
  return html`<section class="card"><h2>${say.notes}</h2>
${notes.length === 0 && html`<p class="hint">${say.noNotes}</p>`}
<ol class="list">${notes.map(
    ({ at, person, text }) =>
      html`<li><p class="typed"><bdi>${text}</bdi></p><span class="hint">${moment(visit, at)} ·
<bdi>${person}</bdi></span></li>`,
  )}</ol>
${
  mayMend &&
  html`<form method="post" action="${root}/cases/${id}/note">${tokenField(visit)}
${field({ name: 'text', label: say.note, value: typed, rows: 3, isRequired: true })}
<button class="second">${say.add}</button></form>`
}</section>`
}
