import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import type { FloatState } from '#money/float/state.ts'
import type { Float } from '#money/float/store.ts'
import { balanceChart } from '../charts/balance.ts'
import type { DashboardContext } from '../context.ts'
import type { Form } from '../frame/actions.ts'
import {
  type Badge,
  empty,
  facts,
  hrefWith,
  label,
  moment,
  momentText,
  money,
} from '../frame/components.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { placeWord } from '../frame/kinds.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { readFields } from '../frame/read-fields.ts'
import { type Fact, fieldFact } from '../frame/reviewed.ts'
import { table } from '../frame/table.ts'
import { noteIn } from '../frame/technical-words.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { floatWords } from './float/words.ts'

const path = '/dashboard/ops/float'
type Typed = Form['fields']
type Known = Float & { state: FloatState }
type Sample = { at: Date; balance: number }

const weekMs = 7 * 86_400_000
const stepMinutes = 120

/** GET, POST /dashboard/ops/float: what providers hold for us, and the history of one of them */
export default function float(pages: Pages, { floats: room }: DashboardContext): void {
  async function show(visit: OpsVisit, typed: Typed | null, problems: Problems): Promise<Screen> {
    const floats = await room.list()
    const chosen = floats.find((one) => nameOf(one) === visit.query.provider)
    const range = { rangeMs: weekMs, stepMinutes }
    const samples = chosen === undefined ? [] : await room.history(chosen, range)
    return screen(visit, { floats, chosen, samples }, typed, problems)
  }

  pages.screen('/dashboard/ops/float', 'ops.read', (visit) => show(visit, null, {}))

  pages.action(
    '/dashboard/ops/float',
    {
      action: 'ops.providers.change',
      isSensitive: true,
      reviewed: {
        find: async (_visit, form) =>
          (await room.list()).find((one) => nameOf(one) === form.get('provider')),
        facts: seenOf,
      },
      refused: (visit, problems, { fields }, one) =>
        show({ ...visit, query: { provider: nameOf(one) } }, fields, problems),
    },
    async ({ language, actor }, form, one) => {
      const { provider, country } = one
      await room.set({ provider, country, ...readValues(language, form), actor })
      const to = `${path}?${new URLSearchParams({ provider: nameOf(one) }).toString()}`
      return { to, text: floatWords[language].saved }
    },
  )
}

function readValues(language: Language, { get }: Form) {
  const say = floatWords[language]
  const read = readFields(language, get)
  const whole = (name: string, label: string, min: number) =>
    get(name) === '' ? null : read.amount(name, label, { min, max: 999_999_999 })
  const balance = whole('balance', say.balanceNow, 0)
  const values = {
    warnBelow: whole('warnBelow', say.warnBelow, 1),
    alarmBelow: whole('alarmBelow', say.alarmBelow, 1),
    balance: balance ?? undefined,
  }
  read.check()
  return values
}

function nameOf({ provider, country }: Pick<Float, 'provider' | 'country'>): string {
  return `${provider}_${country}`
}

interface Shown {
  floats: Known[]
  chosen: Known | undefined
  samples: Sample[]
}

function screen(visit: OpsVisit, shown: Shown, typed: Typed | null, problems: Problems): Screen {
  const say = floatWords[visit.language]
  const { floats, chosen } = shown
  return {
    title: say.title,
    section: 'float',
    body: html`<div class="head"><h1>${say.title}</h1></div><p class="hint">${say.lead}</p>
${chosen !== undefined && one(visit, chosen, shown, typed, problems)}
${floats.length === 0 ? empty(say.none) : floatTable(visit, shown)}`,
  }
}

const looks: Record<FloatState, Badge> = {
  fine: ['good', 'check'],
  warning: ['calm', 'exclamation'],
  alarm: ['bad', 'cross'],
  old: ['quiet', 'clock'],
  unknown: ['quiet', 'dash'],
}

function stateLabel(language: Language, state: FloatState): Html {
  return label(looks[state], floatWords[language].states[state])
}

function floatTable(visit: OpsVisit, { floats }: Shown): Html {
  const { language } = visit
  const say = floatWords[language]
  return table(
    floats,
    [
      {
        name: say.provider,
        isTitle: true,
        cell: (float) =>
          html`<a href="${hrefWith(visit, { provider: nameOf(float) })}">${placeWord(
            language,
            nameOf(float),
          )}</a>`,
      },
      { name: say.state, cell: ({ state }) => stateLabel(language, state) },
      {
        name: say.balance,
        isNumeric: true,
        cell: ({ balance }) => balance !== null && money(balance),
      },
      { name: say.source, cell: ({ source }) => source !== null && say.sources[source] },
      { name: say.at, cell: ({ knownAt }) => knownAt !== null && moment(visit, knownAt) },
      {
        name: say.problem,
        cell: ({ problem }) => problem !== null && noteIn(visit.language, problem),
      },
    ],
    { caption: say.title },
  )
}

function one(
  visit: OpsVisit,
  float: Known,
  { samples }: Shown,
  typed: Typed | null,
  problems: Problems,
): Html {
  const { language } = visit
  const say = floatWords[language]
  const { warnBelow, alarmBelow, declinedAt, declinedAmount } = float
  const title = placeWord(language, nameOf(float))
  const quiet = html`<p class="hint">${say.noHistory}</p>`
  const declined = declinedAt !== null && declinedAmount !== null
  return html`<section class="card"><h2>${title}</h2>
${facts([
  [say.state, stateLabel(language, float.state)],
  [say.balance, float.balance !== null && money(float.balance)],
  [say.warnBelow, warnBelow !== null && money(warnBelow)],
  [say.alarmBelow, alarmBelow !== null && money(alarmBelow)],
  [say.declined, declined && html`${money(declinedAmount)} · ${moment(visit, declinedAt)}`],
])}
${samples.length === 0 ? quiet : history(visit, float, samples)}
${visit.may('ops.providers.change') && settings(visit, float, typed, problems)}</section>`
}

function history(visit: OpsVisit, { warnBelow, alarmBelow }: Float, samples: Sample[]): Html {
  const { language } = visit
  const say = floatWords[language]
  const marks = [
    { value: warnBelow, text: say.warnBelow },
    { value: alarmBelow, text: say.alarmBelow },
  ].flatMap(({ value, text }) => (value === null ? [] : [{ value, text }]))
  const timeText = (at: Date) => momentText(visit, at)
  return html`${balanceChart({ title: say.history, points: samples, marks, timeText, language })}
<details><summary>${say.figures}</summary>${table(
    samples.toReversed(),
    [
      { name: say.at, isTitle: true, cell: ({ at }) => moment(visit, at) },
      { name: say.balance, isNumeric: true, cell: ({ balance }) => money(balance) },
    ],
    { caption: say.history },
  )}</details>`
}

/** What the form shows of a float. */
function seenOf({ language }: OpsVisit, float: Float): Fact[] {
  const say = floatWords[language]
  return [
    { name: 'provider', label: say.provider, value: nameOf(float), isField: true },
    fieldFact('warnBelow', say.warnBelow, String(float.warnBelow ?? '')),
    fieldFact('alarmBelow', say.alarmBelow, String(float.alarmBelow ?? '')),
  ]
}

function settings(visit: OpsVisit, float: Float, typed: Typed | null, problems: Problems): Html {
  const { language } = visit
  const say = floatWords[language]
  const valueOf = (name: 'warnBelow' | 'alarmBelow') =>
    String((typed === null ? float : typed)[name] ?? '')
  const digits = { inputmode: 'numeric', autocomplete: 'off', maxLength: 20 }
  const now = { name: 'balance', label: say.balanceNow, hint: say.balanceHint }
  return html`<form method="post" action="${path}">${tokenField(visit, seenOf(visit, float))}
<input type="hidden" name="provider" value="${nameOf(float)}">
${problemList(language, problems)}
${(['warnBelow', 'alarmBelow'] as const).map((name) =>
  field({ name, label: say[name], value: valueOf(name), ...digits }, problems),
)}
${float.source !== 'told' && field({ ...now, value: typed?.balance ?? '', ...digits }, problems)}
<button>${say.save}</button></form>`
}
