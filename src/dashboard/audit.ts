import type { AuditRow } from '../db/audit-log.ts'
import { readClientAudit } from '../db/audit-log.ts'
import type { Html } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import { fr } from '../pages/typography.ts'
import { auditGroups, auditWord } from './audit-words.ts'
import type { DashboardContext } from './context.ts'
import { empty, moment } from './frame/components.ts'
import type { Problems } from './frame/fields.ts'
import { field } from './frame/fields.ts'
import type { Pages } from './frame/pages.ts'
import { readRange } from './frame/ranges.ts'
import { pager, table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'
import { frameWords, inBoth } from './frame/words.ts'

const words = inBoth({
  fr: {
    title: 'Journal',
    lead: fr`Ce qui a été fait, par qui et d'où. Rien n'en est jamais effacé.`,
    when: 'Moment',
    who: 'Qui',
    what: 'Quoi',
    where: fr`Depuis`,
    all: 'Tout',
    from: 'Du',
    to: 'Au',
    show: 'Afficher',
    reset: fr`Tout afficher`,
    none: fr`Rien ne correspond à ce filtre.`,
    nothing: fr`Rien n'a encore été fait.`,
  },
  en: {
    title: 'Audit log',
    lead: 'What was done, by whom and from where. Nothing of it is ever erased.',
    when: 'When',
    who: 'Who',
    what: 'What',
    where: 'From',
    all: 'Everything',
    from: 'From',
    to: 'To',
    show: 'Show',
    reset: 'Show everything',
    none: 'Nothing matches this filter.',
    nothing: 'Nothing has been done yet.',
  },
})

const pageSize = 50

/** GET /dashboard/audit */
export default function audit(pages: Pages, { db }: DashboardContext): void {
  pages.screen('/dashboard/audit', 'audit.read', async (visit) => {
    const { title, lead, none, nothing, reset } = words[visit.language]
    const { who = '', group = '', from = '', to = '', after = '' } = visit.query
    const days = readRange(visit)
    const rows = await readClientAudit(db, {
      clientId: visit.client.id,
      before: /^\d{1,15}$/.test(after) ? Number(after) : null,
      limit: pageSize + 1,
      actor: who.trim() || null,
      group: auditGroups.find((one) => one === group) ?? null,
      from: days.from,
      until: days.to,
    })
    const shown = rows.slice(0, pageSize)
    const next = rows.length > pageSize ? String(shown.at(-1)?.id) : null
    const isFiltered = [who, group, from, to].some((one) => one !== '')
    const way = { href: '/dashboard/audit', text: reset }
    return {
      title,
      section: 'audit',
      body: html`<div class="head"><h1>${title}</h1></div><p class="hint">${lead}</p>
${filters(visit, days.problems)}
${shown.length > 0 ? records(visit, shown) : isFiltered ? empty(none, way) : empty(nothing)}
${pager(visit, next)}`,
    }
  })
}

function filters({ language, query }: Visit, problems: Problems): Html {
  const texts = words[language]
  const groups = auditGroups.map((one): [string, string] => [one, auditWord(language, one)])
  return html`<form class="card filters" method="get" action="/dashboard/audit">
${field({ name: 'who', label: texts.who, value: query.who ?? '', autocomplete: 'off' })}
${field({
  name: 'group',
  label: texts.what,
  value: query.group ?? '',
  options: [['', texts.all], ...groups],
})}
${field({ name: 'from', label: texts.from, type: 'date', value: query.from ?? '' }, problems)}
${field({ name: 'to', label: texts.to, type: 'date', value: query.to ?? '' }, problems)}
<button>${texts.show}</button></form>`
}

function records(visit: Visit, rows: AuditRow[]): Html {
  const texts = words[visit.language]
  return table(
    rows,
    [
      { name: texts.when, cell: ({ at }) => moment(visit, at) },
      { name: texts.who, cell: ({ actor }) => html`<bdi>${actor}</bdi>` },
      { name: texts.what, isTitle: true, cell: (row) => what(visit, row) },
      { name: texts.where, cell: addressOf },
    ],
    { caption: texts.title },
  )
}

/** Where it was done; the names of the gateway's own machines are no merchant's business. */
function addressOf({ actor, address }: AuditRow): string {
  return actor.startsWith('cli:') ? '' : (address ?? '')
}

/** The action in words, with all that is recorded about it one tap away. */
function what({ language }: Visit, { action, details }: AuditRow): Html {
  const { from: _from, fields, ...others } = details
  const all = Object.entries({ ...others, ...(isObject(fields) ? fields : {}) })
  if (all.length === 0) return html`${auditWord(language, action)}`
  return html`${auditWord(language, action)}<details><summary>${
    frameWords[language].technical
  }</summary><dl class="facts"><div><dt>action</dt><dd>${action}</dd></div>${all.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${textOf(value)}</bdi></dd></div>`,
  )}</dl></details>`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
