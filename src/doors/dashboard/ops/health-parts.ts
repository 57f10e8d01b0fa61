import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Level } from '#operations/health/judge.ts'
import type { Overview } from '#operations/health/overview.ts'
import { type Badge, label, moment } from '../frame/components.ts'
import { type Column, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { healthWords as words } from './health-words.ts'
import { plannedEnd, scopeWord } from './maintenance.ts'

const shapes: Record<Level, Badge> = {
  good: ['good', 'check'],
  watch: ['calm', 'notice'],
  act: ['bad', 'warning'],
}

export function levelLabel({ language }: OpsVisit, level: Level): Html {
  return label(shapes[level], words[language].levels[level])
}

/** A link to what to do. */
export function runbook({ language }: OpsVisit, name: string): Html {
  return html`<a href="/dashboard/ops/runbooks/${name}">${words[language].how}</a>`
}

/** Merchants whose addresses do not take their events. */
export function merchantTable(visit: OpsVisit, merchants: Overview['merchants']): Html {
  const say = words[visit.language]
  if (merchants.length === 0) return html`<p>${say.delivered}</p>`
  const columns: Column<Overview['merchants'][number]>[] = [
    {
      name: say.merchant,
      isTitle: true,
      cell: ({ clientId, name }) =>
        html`<a href="/dashboard/ops/webhooks/${clientId}"><bdi>${name}</bdi></a>`,
    },
    { name: say.state, cell: ({ level }) => levelLabel(visit, level) },
    { name: say.waiting, isNumeric: true, cell: ({ waiting }) => waiting },
    {
      name: say.oldest,
      cell: ({ oldestAt }) => (oldestAt === null ? '' : moment(visit, oldestAt)),
    },
    { name: say.givenUp, isNumeric: true, cell: ({ givenUp }) => givenUp },
    { name: say.runbook, key: 'guide', cell: () => runbook(visit, 'webhook-backlog') },
  ]
  return table(merchants, columns, { caption: say.merchants })
}

/** What is closed for maintenance since when, and when it is planned to end. */
export function closureCell(visit: OpsVisit, closures: Overview['closures']): Piece {
  const { since: word, end } = words[visit.language]
  const line = ({ scope, since, until }: Overview['closures'][number]) =>
    html`<div>${scopeWord(visit.language, scope)} ${word} ${moment(visit, since)}${
      until !== null && html`<br>${end} ${plannedEnd(visit, { until })}`
    }</div>`
  return html`<div>${closures.map(line)}</div>`
}

const problemsMax = 3

/** When the log, a backup and a drill of it were last seen, and what that found. */
export function archiveCell(
  visit: OpsVisit,
  { isOn, archivedAt, drill }: Overview['archive'],
): Piece {
  const say = words[visit.language]
  const at = (time: Date | null | undefined) => (time ? moment(visit, time) : say.never)
  if (!isOn && drill === undefined) return say.noBackup
  return html`<div>${say.lastLog} ${at(archivedAt)}<br>${say.lastBackup} ${at(drill?.backupAt)}
<br>${say.lastDrill} ${at(drill?.endedAt)}${drill && found(visit, drill.problems)}</div>`
}

/** What a drill found, in its own sentences, which are English. */
function found({ language }: OpsVisit, problems: string[]): Html {
  const { drillHolds, drillProblems } = words[language]
  if (problems.length === 0) return html`, ${drillHolds}`
  const sentences = problems.slice(0, problemsMax)
  return html`, ${drillProblems(problems.length)}${sentences.map(
    (one) => html`<br><span lang="en">${one}</span>`,
  )}`
}
