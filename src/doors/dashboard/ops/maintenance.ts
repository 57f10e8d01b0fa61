import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { isDayAndTime, momentAt } from '#base/kit/zoned-days.ts'
import { checkClosing, countServices, isOver, scopes } from '#merchants/catalog/maintenance.ts'
import type { Closure } from '#merchants/catalog/store.ts'
import type { DashboardContext } from '../context.ts'
import type { Form } from '../frame/actions.ts'
import { empty, facts, moment } from '../frame/components.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { placeWord } from '../frame/kinds.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { WrongFields } from '../frame/problems.ts'
import { type Fact, shownFacts } from '../frame/reviewed.ts'
import { table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'Maintenance',
    lead: fr`Fermer refuse les nouveaux paiements. Ceux en cours, les webhooks et les
      consultations continuent ; fermer toute l'API refuse aussi les consultations.`,
    open: fr`Tout est ouvert.`,
    scope: fr`Ce qui est fermé`,
    since: 'Depuis',
    until: fr`Fin prévue`,
    untilLabel: fr`Fin prévue (heure UTC)`,
    untilHint: fr`Affichée aux marchands et aux payeurs. Rien ne rouvre tout seul.`,
    notice: fr`Message`,
    noticeHint: fr`Lu par les marchands et les payeurs, au plus 300 caractères.`,
    why: 'Motif',
    reason: fr`Motif, pour le journal d'audit`,
    end: 'Rouvrir',
    close: 'Fermer',
    what: fr`Que fermer`,
    all: fr`Toute l'API`,
    payments: fr`Tous les paiements`,
    noScope: fr`Choisissez ce qu'il faut fermer.`,
    wrongTime: fr`Saisissez une date et une heure.`,
    closed: (what: string) => fr`${what} : fermé.`,
    start: fr`Fermer pour maintenance`,
    review: fr`Vérifier`,
    check: fr`Vérifiez avant de fermer`,
    edit: 'Modifier',
    services: fr`Services fermés`,
    refused: fr`Dès que vous fermez, les nouveaux paiements de ces services sont refusés chez tous
      les marchands, jusqu'à ce que quelqu'un rouvre.`,
    refusedToo: fr`Les consultations sont refusées aussi.`,
    over: fr`dépassée`,
  },
  en: {
    title: 'Maintenance',
    lead: en`Closing refuses new payments. Those in progress, webhooks and lookups continue; closing
        the whole API refuses lookups too.`,
    open: 'Everything is open.',
    scope: 'What is closed',
    since: 'Since',
    until: 'Planned end',
    untilLabel: 'Planned end (UTC)',
    untilHint: 'Shown to merchants and payers. Nothing reopens by itself.',
    notice: 'Message',
    noticeHint: 'Read by merchants and payers, 300 characters at most.',
    why: 'Reason',
    reason: 'Reason, for the audit log',
    end: 'Reopen',
    close: 'Close',
    what: 'What to close',
    all: 'The whole API',
    payments: 'All payments',
    noScope: 'Choose what to close.',
    wrongTime: 'Enter a date and a time.',
    closed: (what: string) => `${what}: closed.`,
    start: 'Close for maintenance',
    review: 'Review',
    check: 'Check before you close',
    edit: 'Change',
    services: 'Services closed',
    refused: en`As soon as you close, new payments with these services are refused for all
        merchants, until somebody reopens them.`,
    refusedToo: 'Lookups are refused too.',
    over: 'passed',
  },
})

const fields = ['scope', 'until', 'notice', 'reason'] as const
type Typed = Record<(typeof fields)[number], string>

interface Asked {
  closures: Closure[]
  typed: Typed
  /** The planned end; null: none is given. */
  until: Date | null
}

const path = '/dashboard/ops/maintenance'

/** GET, POST /dashboard/ops/maintenance?scope=…: what is closed; a review; closes */
export default function maintenance(pages: Pages, { catalog }: DashboardContext): void {
  async function find({ language, now }: OpsVisit, form: Form): Promise<Asked> {
    const typed = typedIn(form)
    const { noScope, wrongTime } = words[language]
    const until = readTime(typed.until)
    if (typed.scope === '') throw new WrongFields({ scope: noScope })
    if (until === undefined) throw new WrongFields({ until: wrongTime })
    checkClosing({ scope: typed.scope, until }, now)
    return { closures: await catalog.closures(), typed, until }
  }

  pages.form(
    '/dashboard/ops/maintenance',
    {
      action: 'ops.maintenance.change',
      seenBy: 'ops.read',
      isSensitive: true,
      first: {
        isSent: ({ query, may }) => query.review !== undefined && may('ops.maintenance.change'),
        show: async (visit, form, problems) =>
          screen(visit, await catalog.closures(), typedIn(form), problems),
      },
      find,
      facts: seenOf,
      show: (visit, asked, { changed }) => reviewScreen(visit, asked, changed),
    },
    async ({ language, actor }, _form, { typed, until }) => {
      await catalog.close({ ...typed, until, actor })
      return { to: path, text: words[language].closed(scopeWord(language, typed.scope)) }
    },
  )
}

function typedIn({ fields: given }: Form): Typed {
  return Object.fromEntries(fields.map((name) => [name, given[name] ?? ''])) as Typed
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

/** What a review shows: what will be closed and till when, and all that is closed now. */
function seenOf(visit: OpsVisit, { closures, typed, until }: Asked): Fact[] {
  const { language } = visit
  const say = words[language]
  const value = closures.map((one) => `${one.scope} ${one.since.toISOString()}`).join(', ')
  const now = () => closures.map((one) => scopeWord(language, one.scope)).join(' · ')
  const what = () => scopeWord(language, typed.scope)
  return [
    { name: 'scope', label: say.what, value: typed.scope, show: what },
    { name: 'services', label: say.services, value: countServices(typed.scope) },
    {
      name: 'until',
      label: say.until,
      value: until?.toISOString() ?? null,
      show: (time) => moment(visit, new Date(String(time))),
    },
    { name: 'notice', label: say.notice, value: typed.notice },
    { name: 'reason', label: say.why, value: typed.reason },
    { name: 'closures', label: say.scope, value, show: now },
  ]
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
${visit.may('ops.maintenance.change') && closeForm(visit, typed, problems)}`,
  }
}

/** One click must not close all payments: what that means is said first. */
function reviewScreen(visit: OpsVisit, asked: Asked, changed?: Html): Screen {
  const say = words[visit.language]
  const { typed } = asked
  const reviewed = seenOf(visit, asked)
  const edit = new URLSearchParams(typed).toString()
  return {
    title: say.check,
    section: 'maintenance',
    body: html`<div class="head"><h1>${say.check}</h1></div>${changed}
<section class="card">${facts(shownFacts(reviewed))}</section>
<form class="card" method="post" action="${path}">${tokenField(visit, reviewed)}
${fields.map((name) => html`<input type="hidden" name="${name}" value="${typed[name]}">`)}
<p>${say.refused}${typed.scope === 'all' && ` ${say.refusedToo}`}</p>
<p class="ways"><button class="danger">${say.close}</button>
<a class="button second" href="${path}?${edit}">${say.edit}</a></p></form>`,
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
      { name: say.until, cell: (one) => plannedEnd(visit, one) },
      { name: say.notice, cell: ({ notice }) => notice !== null && html`<bdi>${notice}</bdi>` },
      { name: say.why, cell: ({ reason }) => html`<bdi>${reason}</bdi>` },
      ...(visit.may('ops.maintenance.change') ? [{ name: '', cell: end }] : []),
    ],
    { caption: say.title },
  )
}

/** When something is planned to open, and whether that has passed. */
export function plannedEnd(visit: OpsVisit, { until }: Pick<Closure, 'until'>): Piece {
  if (until === null) return null
  const late = isOver({ until }, visit.now) && html`, <b>${words[visit.language].over}</b>`
  return html`${moment(visit, until)}${late}`
}

function closeForm({ language }: OpsVisit, typed: Typed, problems: Problems): Html {
  const say = words[language]
  const options: [string, string][] = ['', ...scopes].map((one) => [
    one,
    one === '' ? '–' : scopeWord(language, one),
  ])
  const { scope, until, notice, reason } = typed
  const end = { label: say.untilLabel, hint: say.untilHint, type: 'datetime-local' }
  const told = { label: say.notice, hint: say.noticeHint, maxLength: 300 }
  return html`<h2>${say.start}</h2>
<form class="card" method="get" action="${path}">${problemList(language, problems)}
<input type="hidden" name="review" value="yes">
${field({ name: 'scope', label: say.what, value: scope, options }, problems)}
${field({ name: 'until', value: until, ...end }, problems)}
${field({ name: 'notice', value: notice, ...told }, problems)}
${field({ name: 'reason', label: say.reason, value: reason, maxLength: 300 }, problems)}
<button>${say.review}</button></form>`
}
