import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { AuditFilter, AuditRow } from '#data/db/audit-log.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { ClientNames } from '#merchants/clients/open.ts'
import { auditGroups, auditWord, merchantAuditGroups } from '../audit-words.ts'
import { aboutOf, oneForAct, recordedOf } from './audit-record.ts'
import { empty, hrefWith, instant } from './components.ts'
import { field, type Problems } from './fields.ts'
import { readRange } from './ranges.ts'
import { type Column, pager, table } from './table.ts'
import { countSet, fileLink, filterFold, moreMenu, toolbar } from './toolbar.ts'
import type { AnyVisit } from './visit.ts'
import { frameWords } from './words.ts'

const words = inBoth({
  fr: {
    title: 'Journal',
    client: 'Marchand',
    lead: fr`Ce qui a été fait, par qui et d'où. Rien n'en est jamais effacé.`,
    when: 'Moment',
    who: 'Qui',
    what: 'Quoi',
    where: fr`Depuis`,
    all: 'Tout',
    from: 'Du',
    to: 'Au',
    reset: fr`Tout afficher`,
    csv: fr`Télécharger (CSV)`,
    none: fr`Rien ne correspond à ce filtre.`,
    nothing: fr`Rien n'a encore été fait.`,
  },
  en: {
    title: 'Audit log',
    client: 'Merchant',
    lead: 'Who did what, and from where. Entries are never deleted.',
    when: 'When',
    who: 'Who',
    what: 'What',
    where: 'From',
    all: 'Everything',
    from: 'From',
    to: 'To',
    reset: 'Show everything',
    csv: 'Download (CSV)',
    none: 'Nothing matches this filter.',
    nothing: 'Nothing has been done yet.',
  },
})

const pageSize = 50

// What merchants are shown of whoever is none of their own people: operators, commands, workers.
const gatewayName = 'Passerelle'

/** Whose names are shown; null: everybody's. */
export type Team = Set<string> | null

/** Whose names a visitor is shown. */
export async function teamOf(
  people: DashboardContext['people'],
  { client }: AnyVisit,
): Promise<Team> {
  return client === null ? null : await people.team.addressesOf(client.id)
}

/** The audit log of a client, or of the gateway: filters, records and the way to older ones. */
export async function auditList(
  { audit, clients, people }: DashboardContext,
  visit: AnyVisit,
): Promise<{ title: string; body: Html }> {
  const { title, lead, none, nothing, reset, csv } = words[visit.language]
  const file = hrefWith({ ...visit, path: `${visit.path}/export.csv` }, {})
  const days = readRange(visit)
  const team = await teamOf(people, visit)
  const rows = await audit.list(auditFilterOf(visit, days, team))
  const page = rows.slice(0, pageSize)
  const shown = oneForAct(page)
  const next = rows.length > pageSize ? String(page.at(-1)?.id) : null
  const about = shown.flatMap(({ clientId }) => (clientId === null ? [] : [{ clientId }]))
  const names = await clients.namesOf(visit.client === null ? about : [])
  const isFiltered = countSet(visit, filterNames) > 0
  const way = { href: visit.path, text: reset }
  const without = isFiltered ? empty(none, way) : empty(nothing)
  return {
    title,
    body: html`<div class="head"><h1>${title}</h1></div>
<p class="hint">${lead}</p>
${toolbar(filters(visit, days.problems), moreMenu(visit, [{ entries: [fileLink(file, csv)] }]))}
${shown.length > 0 ? records(visit, shown, { team, clients: names }) : without}
${pager(visit, next)}`,
  }
}

/** What the address asks for. */
export function auditFilterOf(
  visit: AnyVisit,
  days: ReturnType<typeof readRange>,
  team: Team,
): AuditFilter {
  const { client, query } = visit
  const { group = '', after = '' } = query
  return {
    clientId: client?.id ?? null,
    before: /^\d{1,15}$/.test(after) ? Number(after) : null,
    limit: pageSize + 1,
    group: auditGroups.find((one) => one === group) ?? null,
    from: days.from,
    until: days.to,
    ...whoseOf(visit, team),
  }
}

/** Whose records are asked for. A merchant cannot find out by it which operator did something. */
function whoseOf({ query }: AnyVisit, team: Team): Pick<AuditFilter, 'actor' | 'otherThan'> {
  const who = query.who?.trim() ?? ''
  const isGateway = team !== null && who.toLowerCase() === gatewayName.toLowerCase()
  if (isGateway) return { otherThan: [...team] }
  if (who === '' || isOwn(team, who)) return { actor: who || null }
  return { actor: '' }
}

function isOwn(team: Team, actor: string): boolean {
  return team === null || team.has(actor.toLowerCase())
}

const filterNames = ['who', 'group', 'from', 'to']

function filters(visit: AnyVisit, problems: Problems): Html {
  const { language, query, client } = visit
  const texts = words[language]
  const offered = client === null ? auditGroups : merchantAuditGroups
  const groups = offered.map((one): [string, string] => [one, auditWord(language, one)])
  const day = (name: 'from' | 'to') =>
    field({ name, label: texts[name], type: 'date', value: query[name] ?? '' }, problems)
  const who = { name: 'who', label: texts.who, value: query.who ?? '', autocomplete: 'off' }
  const group = { name: 'group', label: texts.what, value: query.group ?? '' }
  const fields = [
    field(who),
    field({ ...group, options: [['', texts.all], ...groups] }),
    day('from'),
    day('to'),
  ]
  return filterFold(visit, { fields, count: countSet(visit, filterNames), problems })
}

function records(
  visit: AnyVisit,
  rows: AuditRow[],
  { team, clients }: { team: Team; clients: ClientNames },
): Html {
  const texts = words[visit.language]
  const client: Column<AuditRow> = {
    name: texts.client,
    cell: ({ clientId }) =>
      clientId !== null && html`<bdi>${clients.get(clientId) ?? clientId}</bdi>`,
  }
  return table(
    rows,
    [
      { name: texts.when, cell: ({ at }) => instant(visit, at) },
      { name: texts.who, cell: ({ actor }) => html`<bdi>${nameIn(team, actor)}</bdi>` },
      { name: texts.what, isTitle: true, cell: (row) => what(visit, row, team) },
      ...(visit.client === null ? [client] : []),
      { name: texts.where, cell: (row) => addressOf(row, team) },
    ],
    { caption: texts.title },
  )
}

/** Who did something, as a visitor is told. */
export function nameIn(team: Team, actor: string): string {
  return isOwn(team, actor) ? actor : gatewayName
}

/** Where it was done; from where the gateway's own people work is no merchant's business. */
export function addressOf({ actor, address }: AuditRow, team: Team): string {
  return isOwn(team, actor) ? (address ?? '') : ''
}

/**
 * The action in words, with all that is recorded about it one tap away. Whatever addresses a
 * merchant's own people wrote are shown to them.
 */
function what({ language }: AnyVisit, row: AuditRow, team: Team): Html {
  const { action, actor } = row
  const named = isOwn(team, actor) ? null : team
  const all = recordedOf(row)
  const about = textOf(aboutOf(row), named)
  const head = html`${auditWord(language, action)}${
    about !== '' && html` <span class="hint"><bdi>${about}</bdi></span>`
  }`
  if (all.length === 0) return head
  return html`${head}<details><summary>${
    frameWords[language].technical
  }</summary><dl class="facts"><div><dt>action</dt><dd>${action}</dd></div>${all.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${textOf(value, named)}</bdi></dd></div>`,
  )}</dl></details>`
}

const mailAddress = /[^\s"'<>:,;()]+@[^\s"'<>:,;()]+/g

/** A text, or what is recorded as JSON, without the addresses of the gateway's own people. */
export function textOf(value: unknown, team: Team): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll(mailAddress, (address) => nameIn(team, address))
}
