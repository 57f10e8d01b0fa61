import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { numbersScope } from '#money/limits/change.ts'
import type { ListedLimit } from '#money/limits/list.ts'
import { refundScope, scopes } from '#money/limits/scope.ts'
import type { DashboardContext } from '../context.ts'
import type { Form } from '../frame/actions.ts'
import { empty, money, moneyFact } from '../frame/components.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { placeWord } from '../frame/kinds.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { readFields } from '../frame/read-fields.ts'
import type { Fact } from '../frame/reviewed.ts'
import { type Column, table } from '../frame/table.ts'
import { chips } from '../frame/toolbar.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { merchantOf } from './approvals/asked.ts'

const words = inBoth({
  fr: {
    title: 'Limites',
    blocks: fr`Numéros bloqués`,
    lead: fr`Ce qu'un marchand peut encaisser ou payer par jour, et combien de fois il peut
      solliciter un même numéro en dix minutes. Le jour commence à minuit dans le pays du
      service, et pour les remboursements à minuit UTC.`,
    none: fr`Aucune limite.`,
    client: 'Marchand',
    clientHint: fr`Son numéro ou son nom.`,
    scope: fr`Ce qui est limité`,
    amount: fr`Montant par jour`,
    count: fr`Nombre par jour`,
    tries: fr`Tentatives en dix minutes`,
    triesHint: fr`Pour un même numéro seulement.`,
    used: fr`Utilisé aujourd'hui`,
    all: fr`Chaque service`,
    refunds: fr`Tous les remboursements`,
    numbers: fr`Un même numéro`,
    set: fr`Fixer une limite`,
    save: 'Enregistrer',
    remove: 'Supprimer',
    saved: fr`La limite est enregistrée.`,
  },
  en: {
    title: 'Limits',
    blocks: 'Blocked numbers',
    lead: en`What a merchant may collect or pay in a day, and how often it may prompt the same
        number in ten minutes. Days start at midnight in the country of the service; for
        refunds, at midnight UTC.`,
    none: 'No limits.',
    client: 'Merchant',
    clientHint: 'Its number or its name.',
    scope: 'What is limited',
    amount: 'Amount per day',
    count: 'Number per day',
    tries: 'Attempts in ten minutes',
    triesHint: 'For the same number only.',
    used: 'Used today',
    all: 'Each service',
    refunds: 'All refunds',
    numbers: 'The same number',
    set: 'Set a limit',
    save: 'Save',
    remove: 'Remove',
    saved: 'The limit is saved.',
  },
})

type Typed = Form['fields']

/** GET, POST /dashboard/ops/limits: what clients may move; sets a limit */
export default function limits(pages: Pages, { clients, limits: room }: DashboardContext): void {
  const show = async (visit: OpsVisit, typed: Typed, problems: Problems): Promise<Screen> => {
    const [listed, all] = await Promise.all([room.list(), clients.all()])
    const names = new Map(all.map(({ id, name }) => [id, name]))
    return screen(visit, listed, names, typed, problems)
  }

  /** What is asked for: of which client, and what its limit is now. */
  async function find({ language }: OpsVisit, form: Form): Promise<Reviewable> {
    const values = readValues(language, form)
    const clientId = await clients.idOf(form.get('client'))
    const listed = await room.list(clientId)
    const name = await merchantOf(clients, clientId)
    return { values, clientId, name, before: limitIn(listed, clientId, values.scope) }
  }

  pages.screen('/dashboard/ops/limits', 'ops.read', (visit) => show(visit, {}, {}))

  pages.action(
    '/dashboard/ops/limits',
    {
      action: 'ops.limits.change',
      isSensitive: true,
      reviewed: {
        find,
        facts: seenOf,
        unread: (visit, problems, form) => show(visit, form.fields, problems),
      },
    },
    async ({ language, actor }, _form, { clientId, values }) => {
      await room.set({ clientId, ...values, actor })
      return { to: '/dashboard/ops/limits', text: words[language].saved }
    },
  )
}

function readValues(language: Language, { get }: Form) {
  const { client, amount, count, tries } = words[language]
  const read = readFields(language, get)
  read.line('client', client, 100, true)
  const whole = (name: string, label: string, max: number) =>
    get(name) === '' ? null : read.amount(name, label, { min: 1, max })
  const values = {
    scope: get('scope'),
    amountMax: whole('amountMax', amount, 999_999_999),
    countMax: whole('countMax', count, 999_999_999),
    attemptsMax: whole('attemptsMax', tries, 1000),
  }
  read.check()
  return values
}

interface Reviewable {
  values: ReturnType<typeof readValues>
  clientId: number
  name: string
  /** The limit that there is; undefined: none, or it is of each of the services. */
  before: ListedLimit | undefined
}

/** The limit of a client and scope in a list. */
export function limitIn(
  listed: ListedLimit[],
  clientId: number,
  scope: string,
): ListedLimit | undefined {
  return listed.find((one) => one.clientId === clientId && one.scope === scope)
}

/** What a form about a limit shows: whose, of what, and what it is now. */
function seenOf({ language }: OpsVisit, { values, name, before }: Reviewable): Fact[] {
  const { scope, amountMax, countMax, attemptsMax } = values
  const wanted = [undefined, amountMax !== null && money(amountMax), countMax, attemptsMax]
  const limit = seenOfLimit(language, scope, before)
  return [
    { name: 'client', label: words[language].client, value: name },
    ...limit.map((one, index) => ({ ...one, wanted: wanted[index] })),
  ]
}

/** Whose a limit is. */
export function clientIdFact(language: Language, clientId: number): Fact {
  return { name: 'clientId', label: words[language].client, value: clientId }
}

/** The values of a limit as a form shows them. */
export function seenOfLimit(
  language: Language,
  scope: string,
  limit: ListedLimit | undefined,
): Fact[] {
  const say = words[language]
  const { amountMax = null, countMax = null, attemptsMax = null } = limit ?? {}
  return [
    { name: 'scope', label: say.scope, value: scope, show: () => scopeWord(language, scope) },
    moneyFact('amount', say.amount, amountMax),
    { name: 'count', label: say.count, value: countMax },
    { name: 'attempts', label: say.tries, value: attemptsMax },
  ]
}

/** What a limit is of, in words. */
export function scopeWord(language: Language, scope: string): string {
  const { all, refunds, numbers } = words[language]
  const own: Record<string, string> = { all, [refundScope]: refunds, [numbersScope]: numbers }
  return own[scope] ?? placeWord(language, scope)
}

/** The two lists of this section. */
export function limitTabs({ language, path }: OpsVisit): Html {
  const { title, blocks } = words[language]
  const entry = (href: string, text: string) => ({ href, text, isCurrent: path === href })
  return chips([
    entry('/dashboard/ops/limits', title),
    entry('/dashboard/ops/limits/blocks', blocks),
  ])
}

function screen(
  visit: OpsVisit,
  listed: ListedLimit[],
  names: Map<number, string>,
  typed: Typed,
  problems: Problems,
): Screen {
  const { title, lead, none } = words[visit.language]
  const columns = columnsFor(visit, names)
  return {
    title,
    section: 'limits',
    body: html`<div class="head"><h1>${title}</h1></div>${limitTabs(visit)}
<p class="hint">${lead}</p>
${listed.length === 0 ? empty(none) : table(listed, columns, { caption: title })}
${visit.may('ops.limits.change') && setForm(visit, typed, problems)}`,
  }
}

function columnsFor(visit: OpsVisit, names: Map<number, string>): Column<ListedLimit>[] {
  const { language } = visit
  const say = words[language]
  const nameOf = (id: number) => names.get(id) ?? String(id)
  const remove = (one: ListedLimit) => {
    const { clientId, scope } = one
    const seen = [clientIdFact(language, clientId), ...seenOfLimit(language, scope, one)]
    return html`<form method="post" action="/dashboard/ops/limits/remove">${tokenField(visit, seen)}
<input type="hidden" name="client" value="${clientId}">
<input type="hidden" name="scope" value="${scope}">
<button class="second">${say.remove}<span class="unseen"> ${nameOf(clientId)} ${scopeWord(
      language,
      scope,
    )}</span></button></form>`
  }
  return [
    {
      name: say.client,
      isTitle: true,
      cell: ({ clientId }) => html`<span>${clientId} · <bdi>${nameOf(clientId)}</bdi></span>`,
    },
    { name: say.scope, cell: ({ scope }) => scopeWord(language, scope) },
    {
      name: say.amount,
      isNumeric: true,
      cell: ({ amountMax }) => amountMax !== null && money(amountMax),
    },
    { name: say.count, isNumeric: true, cell: ({ countMax }) => countMax },
    { name: say.tries, isNumeric: true, cell: ({ attemptsMax }) => attemptsMax },
    {
      name: say.used,
      isNumeric: true,
      cell: (one) =>
        one.attemptsMax === null && html`<span>${money(one.usedAmount)} · ${one.usedCount}</span>`,
    },
    ...(visit.may('ops.limits.change') ? [{ name: '', cell: remove }] : []),
  ]
}

function setForm(visit: OpsVisit, typed: Typed, problems: Problems): Html {
  const { language } = visit
  const say = words[language]
  const options = ['all', ...scopes, numbersScope].map((one): [string, string] => [
    one,
    scopeWord(language, one),
  ])
  const digits = { inputmode: 'numeric', autocomplete: 'off', maxLength: 20 }
  const value = (name: string) => typed[name] ?? ''
  const client = { name: 'client', label: say.client, hint: say.clientHint, value: value('client') }
  const tries = { name: 'attemptsMax', label: say.tries, hint: say.triesHint }
  return html`<h2>${say.set}</h2>
<form class="card" method="post" action="/dashboard/ops/limits">${tokenField(visit)}
${problemList(language, problems)}
${field({ ...client, isRequired: true, maxLength: 100 }, problems)}
${field({ name: 'scope', label: say.scope, value: value('scope'), options }, problems)}
${field({ name: 'amountMax', label: say.amount, value: value('amountMax'), ...digits }, problems)}
${field({ name: 'countMax', label: say.count, value: value('countMax'), ...digits }, problems)}
${field({ ...tries, value: value('attemptsMax'), ...digits }, problems)}
<button>${say.save}</button></form>`
}
