import { type Html, html, type Piece, raw } from '#base/kit/html.ts'
import { type Language, locales } from '#base/kit/language.ts'
import { formatAmount, formatCount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import { type IconName, icons } from '#edge/pages/icons.ts'
import { writtenPhone } from '#merchants/catalog/phone.ts'
import type { Fact } from './reviewed.ts'
import type { AnyVisit } from './visit.ts'
import { frameWords } from './words.ts'

/** An amount; a debit has a minus sign. */
export function money(francs: number): Html {
  const text = formatAmount(Math.abs(francs))
  return html`<span class="money">${francs < 0 && '\u2212'}${text}</span>`
}

/** An amount by itself, large: its unit is smaller, and goes below where there is no room. */
export function figure(francs: number): Html {
  const [digits = '', unit = ''] = formatAmount(francs).split('\u00a0', 2)
  return html`<span class="money">${digits.replace('-', '\u2212')}</span>
<span class="unit">${unit}</span>`
}

/** A figure of a group: its name above it, notes below. */
export function tile(name: string, value: Piece, notes: Piece[] = [], className = ''): Html {
  const shown = notes.filter((note) => note !== null && note !== false)
  return html`<div class="tile ${className}"><dt>${name}</dt><dd>${value}${shown.map(
    (note) => html`<small>${note}</small>`,
  )}</dd></div>`
}

/** An amount that a form shows. */
export function moneyFact(name: string, label: string, value: number | null): Fact {
  return { name, label, value, show: (francs) => money(Number(francs)) }
}

/** How many there are, of which so many are counted at most. */
export function countText(language: Language, count: number, max: number): string {
  if (count < max) return formatCount(count)
  return `${formatCount(max)} ${{ fr: 'et plus', en: 'and more' }[language]}`
}

/** A moment in the merchant's zone, with UTC on hover and for machines. */
export function moment(
  visit: Pick<AnyVisit, 'zone' | 'language'>,
  date: Date,
  precision: 'minute' | 'second' = 'minute',
): Html {
  const iso = date.toISOString()
  const utc = `${iso.slice(0, 19).replace('T', ' ')} UTC`
  return html`<time datetime="${iso}" title="${utc}">${momentText(visit, date, precision)}</time>`
}

/** The same to the second, where one thing follows another. */
export function instant(visit: Pick<AnyVisit, 'zone' | 'language'>, date: Date): Html {
  return moment(visit, date, 'second')
}

const formats = new Map<string, Intl.DateTimeFormat>()

export function momentText(
  { zone, language }: Pick<AnyVisit, 'zone' | 'language'>,
  date: Date,
  precision: 'minute' | 'second' = 'minute',
): string {
  const key = `${zone} ${language} ${precision}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locales[language], {
      timeZone: zone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(precision === 'second' ? { second: '2-digit' } : {}),
    })
  formats.set(key, format)
  return format.format(date)
}

/** A day such as 2026-10-01 as people write it: 1er octobre 2026. */
export function dayText(language: Language, day: string): string {
  return new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    dateStyle: 'long',
  })
    .format(new Date(`${day}T00:00:00Z`))
    .replace(/^1 /, language === 'fr' ? '1er ' : '1 ')
}

const statusWords = inBoth<Record<string, string>>({
  fr: {
    SUCCESS: fr`Réussi`,
    FAILED: fr`Échoué`,
    CANCELLED: fr`Annulé`,
    PENDING: 'En attente',
    PROCESSING: 'En cours',
    EXPIRED: fr`Expiré`,
  },
  en: {
    SUCCESS: 'Succeeded',
    FAILED: 'Failed',
    CANCELLED: 'Cancelled',
    PENDING: 'Pending',
    PROCESSING: 'In progress',
    EXPIRED: 'Expired',
  },
})

const shapes: Record<string, Badge> = {
  SUCCESS: ['good', 'check'],
  FAILED: ['bad', 'cross'],
  CANCELLED: ['quiet', 'dash'],
  PENDING: ['calm', 'clock'],
  PROCESSING: ['calm', 'underWay'],
  EXPIRED: ['quiet', 'dash'],
}

/** A status as a word with a shape and a colour. */
export function status(language: Language, name: string): Html {
  return label(shapes[name] ?? ['quiet', 'dash'], statusWords[language][name] ?? name)
}

export function statusWord(language: Language, name: string): string {
  return statusWords[language][name] ?? name
}

/** How a state looks; the shape says the same as the colour. */
export type Badge = readonly [tone: 'good' | 'bad' | 'calm' | 'quiet', icon: IconName]

/** A word in a coloured shape. */
export function label([tone, icon]: Badge, text: string): Html {
  return html`<span class="label ${tone}">${icons[icon]}${text}</span>`
}

/** The end of an id with a button that copies the whole of it. */
export function shortId(language: Language, id: string): Html {
  const short = id.length > 14 ? `…${id.slice(-10)}` : id
  return html`<code title="${id}">${short}</code>${copyButton(language, id)}`
}

/** The end of an id, on one line, as a link to its record. */
export function idLink(href: string, id: string): Html {
  return html`<a href="${href}"><code title="${id}">…${id.slice(-10)}</code></a>`
}

/** Text of somebody; one that is too long for its place breaks after an @ or a slash first. */
export function breakable(text: string): Html {
  const [first = '', ...rest] = text.split(/(?<=.[@/])/)
  return html`<bdi>${first}${rest.map((part) => html`<wbr>${part}`)}</bdi>`
}

/** A button that copies a text; hidden until the script runs. */
export function copyButton(language: Language, text: string): Html {
  const { copy, copied } = frameWords[language]
  return html` <button type="button" class="copy" data-copy="${text}" data-copied="${copied}"
 hidden><span>${copy}</span></button>`
}

/**
 * A number for this person: masked, where the role may not see it. A pseudonym is none. The service
 * says its country; the numbers of meters and customers of billers stay as they are.
 */
export function phone(
  visit: Pick<AnyVisit, 'may'>,
  number: string | null,
  serviceCode = '',
): string {
  if (number === null || isPseudonym(number)) return number ?? ''
  if (!visit.may('number.read')) return maskPhone(number)
  const [, country, operation] = serviceCode.split('_')
  return operation === 'BILL' ? number : writtenPhone(number, country)
}

/** The rows of a detail: a name and its value each; empty values are left out. */
export function facts(rows: [name: string, value: Piece][]): Html {
  const empty = new Set<Piece>([undefined, null, false, ''])
  const shown = rows.filter(([, value]) => !empty.has(value))
  return html`<dl class="facts">${shown.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

/** What few people need of a record, folded; it is open for developers and operators. */
export function technical({ language, client, role }: AnyVisit, body: Piece[]): Html {
  const isOpen = client === null || role === 'developer'
  return html`<details class="fold stack"${isOpen && html` open`}><summary>${
    frameWords[language].technical
  }</summary>${body}</details>`
}

/** The address of this page with other parameters; an empty one is left out. */
export function hrefWith(
  { path, query }: Pick<AnyVisit, 'path' | 'query'>,
  change: Record<string, string | null>,
): string {
  const merged = Object.entries({ ...query, ...change }).filter(
    (pair): pair is [string, string] => pair[1] !== null && pair[1] !== '',
  )
  const search = new URLSearchParams(merged).toString()
  return search === '' ? path : `${path}?${search}`
}

/** Per mille as a percentage with one decimal; nothing to judge by is a dash. */
export function percentText(language: Language, perMille: number | null): string {
  if (perMille === null) return '–'
  const [whole, tenth] = [Math.floor(perMille / 10), perMille % 10]
  return language === 'fr' ? `${whole},${tenth}\u00a0%` : `${whole}.${tenth}%`
}

/** Addresses that show parts of one thing; one of them is this page. */
export function tabs(
  name: string,
  entries: { href: string; text: string; isCurrent: boolean }[],
): Html {
  return html`<div class="tabs" role="navigation" aria-label="${name}">${entries.map(
    ({ href, text, isCurrent }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${text}</a>`,
  )}</div>`
}

/** The drawing of an empty list: a bridge. */
const drawing = raw(
  '<svg viewBox="0 0 120 64" aria-hidden="true"><circle cx="60" cy="32" r="30"/>' +
    '<path d="M8 46h104M20 46a40 34 0 0 1 80 0M36 46V29M52 46V21M68 46V21M84 46V29"/>' +
    '<path stroke-dasharray="6 7" d="M14 55h92M30 62h60"/></svg>',
)

/** An empty list: what was looked for, and one way out. */
export function empty(text: string, way?: { href: string; text: string }): Html {
  return html`<div class="empty">${drawing}<p>${text}</p>${
    way !== undefined && html`<p><a class="button" href="${way.href}">${way.text}</a></p>`
  }</div>`
}
