import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { endOfDay, isDay } from '#base/kit/zoned-days.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { breakable, empty, moment, phone } from '#doors/dashboard/frame/components.ts'
import { field, problemList } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { placeWord } from '#doors/dashboard/frame/kinds.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { countries } from '#merchants/catalog/countries.ts'
import type { BlockedNumber } from '#money/limits/store.ts'
import { limitTabs } from '../limits.ts'

const words = inBoth({
  fr: {
    title: fr`Numéros bloqués`,
    lead: fr`Aucun paiement ne commence par un numéro bloqué ni vers lui, pour aucun marchand.
      Le marchand et le payeur lisent seulement que le numéro est bloqué.`,
    none: fr`Aucun numéro bloqué.`,
    number: fr`Numéro`,
    numberHint: fr`Comme on l'écrit dans son pays, ou avec + et l'indicatif.`,
    country: 'Pays',
    anyCountry: fr`D'après le numéro`,
    reason: 'Motif',
    since: 'Depuis',
    until: fr`Jusqu'au`,
    untilLabel: fr`Dernier jour (UTC)`,
    untilHint: fr`Vide : sans fin.`,
    by: 'Par',
    add: fr`Bloquer un numéro`,
    block: 'Bloquer',
    free: fr`Débloquer`,
    wrongDay: fr`Saisissez une date.`,
    blocked: (number: string) => fr`${number} est bloqué.`,
  },
  en: {
    title: 'Blocked numbers',
    lead:
      'No payment by or to a blocked number begins, for any merchant. Merchants and payers are ' +
      'told only that the number is blocked.',
    none: 'No blocked numbers.',
    number: 'Number',
    numberHint: 'As it is written in its country, or with + and the country code.',
    country: 'Country',
    anyCountry: 'From the number',
    reason: 'Reason',
    since: 'Since',
    until: 'Until',
    untilLabel: 'Last day (UTC)',
    untilHint: 'Leave blank for no end.',
    by: 'By',
    add: 'Block a number',
    block: 'Block',
    free: 'Unblock',
    wrongDay: 'Enter a date.',
    blocked: (number: string) => `${number} is blocked.`,
  },
})

const path = '/dashboard/ops/limits/blocks'

/** GET, POST /dashboard/ops/limits/blocks: the blocked numbers; blocks one more */
export default function blocks(pages: Pages, { limits }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/limits/blocks',
    {
      action: 'ops.limits.change',
      seenBy: 'ops.read',
      isSensitive: true,
      show: async (visit, _none, sent) => screen(visit, await limits.blocked(), sent),
    },
    async (visit, form) => {
      const { actor } = visit
      const say = words[visit.language]
      const expiresAt = endOf(form.get('expiresAt'))
      if (expiresAt === undefined) throw new WrongFields({ expiresAt: say.wrongDay })
      const [number, country, reason] = [
        form.get('number'),
        form.get('country'),
        form.get('reason'),
      ]
      const order = { number, country, reason, expiresAt, actor }
      const blocked = await limits.block(order)
      return { to: path, text: say.blocked(shownNumber(visit, blocked.phone)) }
    },
  )
}

/** The end of a day; null: none is given; undefined: it is no day. */
function endOf(day: string): Date | null | undefined {
  if (day === '') return null
  return isDay(day) ? endOfDay(day, 'UTC') : undefined
}

function screen(visit: OpsVisit, blocked: BlockedNumber[], sent: Sent): Screen {
  const { title, lead, none } = words[visit.language]
  return {
    title,
    section: 'limits',
    body: html`<div class="head"><h1>${title}</h1></div>${limitTabs(visit)}
<p class="hint">${lead}</p>
${blocked.length === 0 ? empty(none) : blockedTable(visit, blocked)}
${visit.may('ops.limits.change') && blockForm(visit, sent)}`,
  }
}

function shownNumber(visit: OpsVisit, number: string): string {
  return `${number.slice(0, 2)} ${phone(visit, number.slice(2), `_${number.slice(0, 2)}`)}`
}

/** What a form that frees a number shows of its block. */
export function seenOfBlock(visit: OpsVisit, one: BlockedNumber): Fact[] {
  const say = words[visit.language]
  const show = () => moment(visit, one.blockedAt)
  return [
    { name: 'shown', label: say.number, value: shownNumber(visit, one.phone) },
    { name: 'why', label: say.reason, value: one.reason },
    { name: 'since', label: say.since, value: one.blockedAt.toISOString(), show },
  ]
}

function blockedTable(visit: OpsVisit, blocked: BlockedNumber[]): Html {
  const say = words[visit.language]
  const shown = (number: string) => shownNumber(visit, number)
  const free = (one: BlockedNumber) =>
    html`<form method="post" action="${path}/remove">${tokenField(visit, seenOfBlock(visit, one))}
<input type="hidden" name="number" value="${one.phone}">
<button class="second">${say.free}<span class="unseen"> ${shown(one.phone)}</span></button></form>`
  return table(
    blocked,
    [
      { name: say.number, isTitle: true, cell: (one) => shown(one.phone) },
      { name: say.reason, cell: ({ reason }) => html`<bdi>${reason}</bdi>` },
      { name: say.since, cell: ({ blockedAt }) => moment(visit, blockedAt) },
      { name: say.until, cell: ({ expiresAt }) => expiresAt !== null && moment(visit, expiresAt) },
      { name: say.by, cell: ({ actor }) => breakable(actor) },
      ...(visit.may('ops.limits.change') ? [{ name: '', cell: free }] : []),
    ],
    { caption: say.title },
  )
}

function blockForm(visit: OpsVisit, { typed = {}, problems }: Sent): Html {
  const { language } = visit
  const say = words[language]
  const options: [string, string][] = [
    ['', say.anyCountry],
    ...Object.keys(countries).map((one): [string, string] => [one, placeWord(language, one)]),
  ]
  const value = (name: string) => typed[name] ?? ''
  const number = { name: 'number', label: say.number, hint: say.numberHint, value: value('number') }
  const end = { label: say.untilLabel, hint: say.untilHint, type: 'date' }
  const reason = { name: 'reason', label: say.reason, value: value('reason'), maxLength: 500 }
  return html`<h2>${say.add}</h2>
<form class="card" method="post" action="${path}">${tokenField(visit)}
${problemList(language, problems)}
${field({ ...number, type: 'tel', autocomplete: 'off', isRequired: true }, problems)}
${field({ name: 'country', label: say.country, value: value('country'), options }, problems)}
${field({ ...reason, isRequired: true }, problems)}
${field({ name: 'expiresAt', value: value('expiresAt'), ...end }, problems)}
<button class="danger">${say.block}</button></form>`
}
