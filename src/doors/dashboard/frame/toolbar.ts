import { type Html, html, type Piece } from '#base/kit/html.ts'
import { icons } from '#edge/pages/icons.ts'
import type { Problems } from './fields.ts'
import type { AnyVisit } from './visit.ts'
import { frameWords } from './words.ts'

type Asked = Pick<AnyVisit, 'language' | 'path' | 'query'>

/** A list's one line of controls: its search, its filters, what is set, and a menu for the rest. */
export function toolbar(...parts: Piece[]): Html {
  return html`<div class="toolbar">${parts}</div>`
}

interface Search {
  /** What is shown in the empty field: what can be searched for. */
  hint: string
  value: string
  /** The parameters of the address that a search keeps. */
  keeps?: string[]
}

/** The field `q`, which asks for the page again. */
export function searchForm({ language, path, query }: Asked, search: Search): Html {
  const { search: word } = frameWords[language]
  const { hint, value, keeps = [] } = search
  return html`<form class="search" method="get" action="${path}" role="search">${keeps.map((name) =>
    hidden(name, query[name]),
  )}
<label class="unseen" for="q">${word}</label>
<input id="q" name="q" type="search" value="${value}" placeholder="${hint}" maxlength="128">
<button title="${word}">${icons.glass}<span class="unseen">${word}</span></button></form>`
}

/** A parameter of the address that a form keeps. */
export function hidden(name: string, value: string | undefined): Piece {
  return value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`
}

interface Filters {
  fields: Piece[]
  /** How many of them are set. */
  count: number
  problems: Problems
}

/** A form of filters below its pill, which says how many are set; open where one is wrong. */
export function filterFold(
  { language, path }: Pick<AnyVisit, 'language' | 'path'>,
  { fields, count, problems }: Filters,
): Html {
  const { filter, apply } = frameWords[language]
  const isOpen = Object.keys(problems).length > 0
  return html`<details class="drop fold"${isOpen && html` open`}><summary>${filter}${
    count > 0 && ` (${count})`
  }</summary>
<form class="filters" method="get" action="${path}">${fields}
<button>${apply}</button></form></details>`
}

/** How many of these are set in the address of a page. */
export function countSet({ query }: Pick<AnyVisit, 'query'>, names: readonly string[]): number {
  return names.filter((name) => (query[name] ?? '') !== '').length
}

/** What is rarely wanted of a list, such as files and columns, in groups with or without a name. */
export function moreMenu(
  { language }: Pick<AnyVisit, 'language'>,
  groups: { name?: string; entries: Html[] }[],
): Piece {
  const shown = groups.filter(({ entries }) => entries.length > 0)
  if (shown.length === 0) return null
  const { more } = frameWords[language]
  return html`<details class="drop more"><summary aria-label="${more}" title="${more}">${
    icons.more
  }</summary>
<div>${shown.map(
    ({ name, entries }) => html`${name !== undefined && html`<h2>${name}</h2>`}
<ul>${entries.map((one) => html`<li>${one}</li>`)}</ul>`,
  )}</div></details>`
}

/** A file of what a list shows. Without `download`: a refusal is a page. */
export function fileLink(href: string, text: string): Html {
  return html`<a href="${href}" data-turbo="false">${text}</a>`
}

/** Pills of which one is chosen: each is an address. */
export function chips(entries: { href: string; text: string; isCurrent: boolean }[]): Html {
  return html`<p class="chips">${entries.map(
    ({ href, text, isCurrent }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${text}</a>`,
  )}</p>`
}
