import type { Batch, BatchLine } from '#backoffice/batches/batch.ts'
import type { TakenByBatch } from '#backoffice/batches/line-store.ts'
import { gatewayActor } from '#backoffice/batches/move.ts'
import type { Batches } from '#backoffice/batches/open.ts'
import { batchSteps, type LineState } from '#backoffice/batches/transitions.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '../context.ts'
import { breakable, empty, facts, moment, money, moneyFact, phone } from '../frame/components.ts'
import { field } from '../frame/fields.ts'
import { providerWord } from '../frame/kinds.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Fact } from '../frame/reviewed.ts'
import { pager, table } from '../frame/table.ts'
import type { Visit } from '../frame/visit.ts'
import { sentenceOf } from '../frame/words.ts'
import { batchState, batchStateWord, lineState } from './states.ts'
import { words } from './words.ts'

const linesShown = 100

/** The batch of the address, if it is one of this client. */
export async function findOwn(batches: Batches, visit: Visit): Promise<Batch | undefined> {
  const id = visit.part('id')
  return isUuid(id) ? batches.find({ clientId: visit.client.id, id }) : undefined
}

/** GET /dashboard/batches/:id */
export default function batch(pages: Pages, { batches, people }: DashboardContext): void {
  pages.screen(
    '/dashboard/batches/:id',
    'batch.read',
    async (visit) => {
      const found = await findOwn(batches, visit)
      if (found === undefined) return undefined
      const { query, language } = visit
      const after = /^\d{1,6}$/.test(query.after ?? '') ? Number(query.after) : 0
      const states = query.show === 'problems' ? problemStates : undefined
      const isOwn = found.proposedBy === visit.actor
      const [lines, totals, taken, steps, isAlone] = await Promise.all([
        batches.lines(found, {
          after,
          limit: linesShown + 1,
          ...(states === undefined ? {} : { states }),
        }),
        batches.totals(found),
        batches.taken(found),
        batches.steps(found),
        isOwn &&
          people.team.isAloneWith({
            clientId: found.clientId,
            action: 'payout.approve',
          }),
      ])
      const say = words[language]
      return {
        title: found.name,
        section: 'batches',
        body: html`<div class="head"><h1><bdi>${found.name}</bdi></h1>
<div class="ways">${batchState(language, found.state)}</div></div>
${notices(visit, found)}
${progress(visit, found, taken)}
${buttons(visit, found, !isOwn || isAlone)}
<div class="columns"><section class="card"><h2>${say.totals}</h2>${table(
          totals,
          [
            {
              name: say.wallet,
              cell: ({ serviceCode }) => providerWord(language, serviceCode),
              isTitle: true,
            },
            { name: say.lines, cell: (one) => one.lines, isNumeric: true },
            { name: say.amount, cell: ({ amount }) => money(amount), isNumeric: true },
            { name: say.fee, cell: ({ fee }) => money(0 - fee), isNumeric: true },
          ],
          { caption: say.totals },
        )}</section>
<section class="card"><h2>${say.history}</h2><ol class="list">${steps.map(
          ({ to, actor, at, reason }) => {
            const why = reason !== null && html`<br>${sentenceOf(reason, language)}`
            const who = html`<span class="hint">${moment(visit, at)} · ${
              actor === gatewayActor ? say.gateway : breakable(actor)
            }</span>`
            return html`<li><b>${batchStateWord(language, to)}</b> ${who}${why}</li>`
          },
        )}</ol></section></div>
${lineList(visit, lines)}`,
      }
    },
    'batch',
  )
}

const problemStates: LineState[] = ['faulty', 'failed', 'refused']

/** Why it waits, and what is suspicious about the file. */
function notices({ language }: Visit, { reason, warnings, faulty, state }: Batch): Piece {
  const say = words[language]
  return [
    reason !== null &&
      html`<p class="notice ${state === 'refused' ? 'bad' : ''}">${sentenceOf(
        reason,
        language,
      )}</p>`,
    faulty > 0 && html`<p class="notice bad">${say.faulty(faulty)}</p>`,
    ...warnings.map((one) => html`<p class="notice">${sentenceOf(one, language)}</p>`),
  ]
}

/** What it would move and how far it is; what it has moved is told by the ledger. */
function progress({ language }: Visit, batch: Batch, { taken, held }: TakenByBatch): Html {
  const say = words[language]
  const { lines, faulty, paid, failed, refused, open, waiting, amount, fee, paidAmount } = batch
  const done = paid + failed + refused
  const isStarted = !['draft', 'proposed', 'approved', 'refused'].includes(batch.state)
  return html`<section class="card"><progress max="${lines - faulty}" value="${done}"
 aria-label="${say.progress}"></progress>
${facts([
  [say.progress, say.of(done, lines - faulty)],
  [say.paid, html`${paid} · ${money(paidAmount)}`],
  [say.failed, failed + refused > 0 && String(failed + refused)],
  [say.open, open > 0 && String(open)],
  [say.waiting, waiting > 0 && String(waiting)],
  [say.total, money(amount)],
  [say.feesOnTop, money(fee)],
  [isStarted ? say.approvedSum : say.toTake, money(amount + fee)],
  [say.debited, isStarted && money(taken)],
  [say.held, held > 0 && money(held)],
])}</section>`
}

/** What the forms that decide a batch show of it, and what must still be so when they are sent. */
export function seenOf({ language }: Visit, batch: Batch): Fact[] {
  const { id, name, state, amount, fee, failed } = batch
  const say = words[language]
  return [
    { name: 'batch', label: say.file, value: id, show: () => html`<bdi>${name}</bdi>` },
    {
      name: 'state',
      label: say.state,
      value: state,
      show: (one) => batchState(language, one as Batch['state']),
    },
    moneyFact('amount', say.total, amount),
    moneyFact('fee', say.feesOnTop, fee),
    ...(state === 'finished' ? [{ name: 'failed', label: say.failed, value: failed }] : []),
  ]
}

function buttons(visit: Visit, batch: Batch, mayDecide: boolean): Html {
  const { language, may, actor } = visit
  const say = words[language]
  const { id, state, faulty, failed } = batch
  const seen = seenOf(visit, batch)
  const prepare = (verb: string, text: string, kind = 'second') =>
    html`<form method="post" action="/dashboard/batches/${id}/prepare">${tokenField(visit, seen)}
<button class="${kind}" name="verb" value="${verb}">${text}</button></form>`
  const canApprove = may('payout.approve') && state === 'proposed'
  const result = (form: string) =>
    html`<a class="button second" href="/dashboard/batches/${id}/result?form=${form}" download
 data-turbo="false">${say.result} ${form.toUpperCase()}</a>`
  return html`${
    canApprove &&
    html`<form class="card" method="post" action="/dashboard/batches/${id}/decide"><h2>${
      say.decide
    }</h2>
<p>${batch.proposedBy === actor ? say.ownProposal : say.proposedBy(batch.proposedBy ?? '')}</p>
${tokenField(visit, seen)}
${field({ name: 'reason', label: say.reason, hint: say.reasonHint, maxLength: 500 })}
<p class="ways">${mayDecide && html`<button name="verb" value="approve">${say.approve}</button>`}
<button class="danger" name="verb" value="refuse">${say.refuse}</button></p></form>`
  }
<div class="ways">${
    may('payout.propose') && [
      state === 'draft' && faulty === 0 && prepare('propose', say.propose, ''),
      state === 'running' && prepare('pause', say.pause),
      state === 'paused' && prepare('resume', say.resume, ''),
      state === 'finished' && failed > 0 && prepare('retryFailed', say.retry),
      batchSteps.next(state, 'cancelled') !== undefined && prepare('cancel', say.cancel, 'danger'),
    ]
  }${state !== 'draft' && [result('xlsx'), result('csv')]}</div>`
}

function lineList(visit: Visit, found: BatchLine[]): Html {
  const { language, query } = visit
  const say = words[language]
  const rows = found.slice(0, linesShown)
  const next = found.length > linesShown ? String(rows.at(-1)?.line ?? 0) : null
  const onlyProblems = query.show === 'problems'
  return html`<div class="head"><h2>${say.lineTitle}</h2><p class="chips">
<a href="?"${!onlyProblems && html` aria-current="true"`}>${say.all}</a>
<a href="?show=problems"${onlyProblems && html` aria-current="true"`}>${say.problems}</a></p></div>
${
  rows.length === 0
    ? empty(say.noLines)
    : table(
        rows,
        [
          { name: say.line, cell: ({ line }) => line },
          { name: say.who, cell: (one) => html`<bdi>${one.name}</bdi>`, isTitle: true },
          {
            name: say.number,
            cell: (one) => phone(visit, one.phone, one.serviceCode ?? '') || one.given?.number,
          },
          {
            name: say.wallet,
            cell: ({ serviceCode }) =>
              serviceCode === null ? null : providerWord(language, serviceCode),
          },
          {
            name: say.amount,
            cell: ({ amount, given }) => (amount === null ? given?.amount : money(amount)),
            isNumeric: true,
          },
          { name: say.state, cell: (one) => stateOf(visit, one) },
        ],
        { caption: say.lineTitle },
      )
}
${pager(visit, next, { isAscending: true })}`
}

function stateOf({ language }: Visit, line: BatchLine): Html {
  const { state, transactionId, errors, warnings, refusal } = line
  const say = words[language]
  const sentences = [...errors, ...(refusal ?? []), ...warnings]
  return html`<div>${lineState(language, state)}${
    transactionId !== null &&
    html` <a href="/dashboard/transactions/${transactionId}">${say.transaction}</a>`
  }${sentences.map((one) => html`<small>${sentenceOf(one, language)}</small>`)}</div>`
}
