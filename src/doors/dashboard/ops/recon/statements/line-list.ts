import type { Case, Side } from '#backoffice/recon/cases/case.ts'
import type { Ours } from '#backoffice/recon/import/match-store.ts'
import type { Statement, StoredLine } from '#backoffice/recon/import/statement.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid, lastId } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { empty } from '#doors/dashboard/frame/components.ts'
import { pager, table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { lineKinds } from '#formats/statements/statement.ts'
import { sideCell, sideOf } from '../sides.ts'
import { caseState, reconWords } from '../words.ts'
import { words } from './words.ts'

/** What lines were found to be, in the order of the tabs; the most urgent first. */
export const tabNames = ['different', 'theirs_only', 'ours_only', 'matched', 'known'] as const

type Tab = (typeof tabNames)[number]

export function tabOf({ query }: OpsVisit): Tab {
  return tabNames.find((one) => one === query.tab) ?? 'different'
}

const linesShown = 50

/** The lines of the tab that is shown, theirs beside ours. */
export function lineList(
  context: DashboardContext,
  visit: OpsVisit,
  one: Statement,
): Promise<Html> {
  const tab = tabOf(visit)
  return tab === 'ours_only' ? oursOnly(context, visit, one) : lines(context, visit, one, tab)
}

/** What we have and the statement has not: these are differences without a line. */
async function oursOnly(
  { recon }: DashboardContext,
  visit: OpsVisit,
  { id }: Statement,
): Promise<Html> {
  const { after = '' } = visit.query
  const below = isUuid(after) ? after : lastId
  const filter = { statementId: id, kind: 'ours_only' } as const
  const found = await recon.cases(filter, { below, limit: linesShown + 1 })
  const rows = found.slice(0, linesShown)
  const next = found.length > linesShown ? (rows.at(-1)?.id ?? null) : null
  const say = reconWords[visit.language]
  if (rows.length === 0) return empty(words[visit.language].none)
  return html`${table(
    rows,
    [
      {
        name: say.ours,
        isTitle: true,
        cell: (one) => sideCell(visit, one.details.ours, transactionLink(visit, one)),
      },
      { name: say.difference, cell: (one) => caseLinks(visit, [one]) },
    ],
    { caption: words[visit.language].tabs.ours_only },
  )}
${pager(visit, next)}`
}

async function lines(
  context: DashboardContext,
  visit: OpsVisit,
  statement: Statement,
  bucket: Exclude<Tab, 'ours_only'>,
): Promise<Html> {
  const { kind: askedKind, q = '' } = visit.query
  const kind = lineKinds.find((one) => one === askedKind)
  const text = q.trim() === '' ? undefined : q.trim()
  const found = await linePage(context, visit, statement, (range) =>
    context.recon.lines(statement.id, { ...range, bucket, kind, text }),
  )
  return found ?? empty(words[visit.language].none)
}

/** A page of lines of a statement beside what we have of them; undefined: there are none. */
export async function linePage(
  { recon }: DashboardContext,
  visit: OpsVisit,
  statement: Statement,
  read: (range: { after: number; limit: number }) => Promise<StoredLine[]>,
): Promise<Html | undefined> {
  const { after: asked = '' } = visit.query
  const after = /^\d{1,9}$/.test(asked) ? Number(asked) : 0
  const found = await read({ after, limit: linesShown + 1 })
  const rows = found.slice(0, linesShown)
  const next = found.length > linesShown ? String(rows.at(-1)?.line) : null
  if (rows.length === 0) return undefined
  const cases = await recon.casesOf(
    statement.id,
    rows.map(({ line }) => line),
  )
  const ours = new Map(
    (await recon.ours(statement, idsOf(rows))).map((one): [string, Ours] => [one.id, one]),
  )
  return html`${lineTable(visit, rows, cases, ours)}${pager(visit, next)}`
}

function idsOf(rows: StoredLine[]): { clientId: number; id: string }[] {
  return rows.flatMap(({ clientId, transactionId: id }) =>
    clientId === null || id === null ? [] : [{ clientId, id }],
  )
}

function lineTable(
  visit: OpsVisit,
  rows: StoredLine[],
  cases: Case[],
  ours: Map<string, Ours>,
): Html {
  const say = reconWords[visit.language]
  const byLine = Map.groupBy(cases, ({ line }) => line)
  return table(
    rows,
    [
      {
        name: say.line,
        isTitle: true,
        cell: ({ line, kind }) => html`<div>${line}<small>${say.lineKinds[kind]}</small></div>`,
      },
      { name: say.theirs, cell: (one) => sideCell(visit, sideOf(one)) },
      {
        name: say.ours,
        cell: (one) =>
          sideCell(visit, ourSide(ours.get(one.transactionId ?? '')), transactionLink(visit, one)),
      },
      { name: say.difference, cell: ({ line }) => caseLinks(visit, byLine.get(line) ?? []) },
    ],
    { caption: words[visit.language].found },
  )
}

function ourSide(one: Ours | undefined): Side | undefined {
  if (one === undefined) return undefined
  const direction = one.operation === 'CASHOUT' ? 1 : -1
  const at = (one.completedAt ?? one.createdAt).toISOString()
  const { status, reference, phone } = one
  return { amount: direction * one.amount, status, at, reference, phone }
}

function transactionLink(
  { language }: OpsVisit,
  { transactionId }: Pick<StoredLine, 'transactionId'>,
): Piece {
  if (transactionId === null) return null
  const href = `/dashboard/ops/transactions/${transactionId}`
  return html`<small><a href="${href}">${reconWords[language].transaction}</a></small>`
}

function caseLinks({ language }: OpsVisit, cases: Case[]): Html {
  return html`<div>${cases.map(
    (one) =>
      html`<small><a href="/dashboard/ops/recon/cases/${one.id}">${
        reconWords[language].kinds[one.kind]
      }</a> ${caseState(language, one)}</small>`,
  )}</div>`
}
