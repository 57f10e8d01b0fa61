import { scopes, startMaintenance } from '../../catalog/maintenance.ts'
import type { Closure } from '../../catalog/store.ts'
import { readClosures } from '../../catalog/store.ts'
import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { Language } from '../../kit/language.ts'
import { isDayAndTime, momentAt } from '../../kit/zoned-days.ts'
import { fr } from '../../pages/typography.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment } from '../frame/components.ts'
import type { Problems } from '../frame/fields.ts'
import { field, problemList } from '../frame/fields.ts'
import { placeWord } from '../frame/kinds.ts'
import type { Screen } from '../frame/layout.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { problemsOf } from '../frame/problems.ts'
import type { Fact } from '../frame/reviewed.ts'
import { table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'

const words = inBoth({
  fr: {
    title: 'Maintenance',
    lead: fr`Fermer refuse les nouveaux paiements. Ceux en cours, les notifications et les
      consultations continuent ; fermer toute l'interface refuse aussi les consultations.`,
    open: fr`Tout est ouvert.`,
    scope: fr`Ce qui est fermé`,
    since: 'Depuis',
    until: fr`Fin prévue`,
    untilLabel: fr`Fin prévue (heure UTC)`,
    untilHint: fr`Elle est dite aux marchands et aux payeurs. Rien ne rouvre tout seul.`,
    notice: fr`Message`,
    noticeHint: fr`Lu par les marchands et les payeurs, au plus 300 caractères.`,
    why: 'Raison',
    reason: fr`Raison, pour le journal`,
    end: 'Rouvrir',
    close: 'Fermer',
    what: fr`Que fermer`,
    all: fr`Toute l'interface`,
    payments: fr`Tous les paiements`,
    noScope: fr`Choisissez ce qu'il faut fermer.`,
    wrongTime: fr`Donnez une date et une heure.`,
    closed: (what: string) => fr`${what} : fermé.`,
    start: fr`Fermer pour maintenance`,
  },
  en: {
    title: 'Maintenance',
    lead:
      'Closing refuses new payments. Those under way, notifications and lookups go on; closing ' +
      'the whole API refuses lookups, too.',
    open: 'Everything is open.',
    scope: 'What is closed',
    since: 'Since',
    until: 'Planned end',
    untilLabel: 'Planned end (UTC)',
    untilHint: 'Merchants and payers are told. Nothing opens by itself.',
    notice: 'Message',
    noticeHint: 'Read by merchants and payers, 300 characters at most.',
    why: 'Reason',
    reason: 'Reason, for the audit log',
    end: 'Open again',
    close: 'Close',
    what: 'What to close',
    all: 'The whole API',
    payments: 'All payments',
    noScope: 'Choose what to close.',
    wrongTime: 'Give a date and a time.',
    closed: (what: string) => `${what}: closed.`,
    start: 'Close for maintenance',
  },
})

interface Typed {
  scope: string
  until: string
  notice: string
  reason: string
}

/** GET, POST /dashboard/ops/maintenance: what is closed; closes more */
export default function maintenance(pages: Pages, { db, clock }: DashboardContext): void {
  const show = async (visit: OpsVisit, typed: Typed, problems: Problems): Promise<Screen> =>
    screen(visit, await readClosures(db), typed, problems)

  pages.screen('/dashboard/ops/maintenance', 'ops.read', (visit) =>
    show(visit, { scope: '', until: '', notice: '', reason: '' }, {}),
  )

  pages.action(
    '/dashboard/ops/maintenance',
    {
      action: 'ops.maintenance.change',
      isSensitive: true,
      reviewed: { find: () => readClosures(db), facts: seenOfAll },
    },
    async (visit, form) => {
      const { language, actor } = visit
      const say = words[language]
      const typed = {
        scope: form.get('scope'),
        until: form.get('until'),
        notice: form.get('notice'),
        reason: form.get('reason'),
      }
      // Nothing is chosen for the operator: one click must not close all payments.
      if (typed.scope === '') return show(visit, typed, { scope: say.noScope })
      const end = readTime(typed.until)
      if (end === undefined) return show(visit, typed, { until: say.wrongTime })
      try {
        await startMaintenance(db, clock, { ...typed, until: end, actor })
        const to = '/dashboard/ops/maintenance'
        return { to, text: say.closed(scopeWord(language, typed.scope)) }
      } catch (problem) {
        return show(visit, typed, problemsOf(problem, language))
      }
    },
  )
}

/** A time of a field without a zone, in UTC; null: none is given; undefined: it is none. */
function readTime(text: string): Date | null | undefined {
  if (text === '') return null
  const minute = text.replace(/(:\d{2}):\d{2}$/, '$1')
  return isDayAndTime(minute) ? momentAt(minute, 'UTC') : undefined
}

/** What a scope closes, in words. */
export function scopeWord(language: Language, scope: string): string {
  const { all, payments } = words[language]
  if (scope === 'all') return all
  return scope === 'payments' ? payments : placeWord(language, scope)
}

/** What the form shows: all that is closed now. */
function seenOfAll({ language }: OpsVisit, closures: Closure[]): Fact[] {
  const value = closures.map(({ scope, since }) => `${scope} ${since.toISOString()}`).join(', ')
  const show = () => closures.map(({ scope }) => scopeWord(language, scope)).join(' · ')
  return [{ name: 'closures', label: words[language].title, value, show }]
}

/** What a form that opens something shows of it. */
export function seenOfClosure(visit: OpsVisit, { scope, since, until }: Closure): Fact[] {
  const { language } = visit
  const say = words[language]
  const time = (value: Fact['value']) => moment(visit, new Date(String(value)))
  return [
    { name: 'scope', label: say.scope, value: scope, show: () => scopeWord(language, scope) },
    { name: 'since', label: say.since, value: since.toISOString(), show: time },
    { name: 'until', label: say.until, value: until?.toISOString() ?? null, show: time },
  ]
}

function screen(visit: OpsVisit, closures: Closure[], typed: Typed, problems: Problems): Screen {
  const say = words[visit.language]
  return {
    title: say.title,
    section: 'maintenance',
    body: html`<div class="head"><h1>${say.title}</h1></div><p class="hint">${say.lead}</p>
${closures.length === 0 ? empty(say.open) : closureTable(visit, closures)}
${
  visit.may('ops.maintenance.change') &&
  closeForm(visit, seenOfAll(visit, closures), typed, problems)
}`,
  }
}

function closureTable(visit: OpsVisit, closures: Closure[]): Html {
  const { language } = visit
  const say = words[language]
  const end = (one: Closure) =>
    html`<form method="post" action="/dashboard/ops/maintenance/end">${tokenField(
      visit,
      seenOfClosure(visit, one),
    )}
<input type="hidden" name="scope" value="${one.scope}">
<button class="second">${say.end}<span class="unseen"> ${scopeWord(
      language,
      one.scope,
    )}</span></button>
</form>`
  return table(
    closures,
    [
      { name: say.scope, isTitle: true, cell: ({ scope }) => scopeWord(language, scope) },
      { name: say.since, cell: ({ since }) => moment(visit, since) },
      { name: say.until, cell: ({ until }) => until !== null && moment(visit, until) },
      { name: say.notice, cell: ({ notice }) => notice !== null && html`<bdi>${notice}</bdi>` },
      { name: say.why, cell: ({ reason }) => html`<bdi>${reason}</bdi>` },
      ...(visit.may('ops.maintenance.change') ? [{ name: '', cell: end }] : []),
    ],
    { caption: say.title },
  )
}

function closeForm(visit: OpsVisit, seen: Fact[], typed: Typed, problems: Problems): Html {
  const { language } = visit
  const say = words[language]
  const options: [string, string][] = ['', ...scopes].map((one) => [
    one,
    one === '' ? '–' : scopeWord(language, one),
  ])
  const { scope, until, notice, reason } = typed
  const end = { label: say.untilLabel, hint: say.untilHint, type: 'datetime-local' }
  const told = { label: say.notice, hint: say.noticeHint, maxLength: 300 }
  return html`<h2>${say.start}</h2>
<form class="card" method="post" action="/dashboard/ops/maintenance">${tokenField(visit, seen)}
${problemList(language, problems)}
${field({ name: 'scope', label: say.what, value: scope, options }, problems)}
${field({ name: 'until', value: until, ...end }, problems)}
${field({ name: 'notice', value: notice, ...told }, problems)}
${field({ name: 'reason', label: say.reason, value: reason, maxLength: 300 }, problems)}
<button class="danger">${say.close}</button></form>`
}
