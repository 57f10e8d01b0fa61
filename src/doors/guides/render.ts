import type { Token, Tokens } from 'marked'
import { type Html, html, raw } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fold, type Guide, plain, typographyOf } from './read-guide.ts'
import { words } from './words.ts'

/** A heading of a guide and what stands below it, up to the next one. */
export interface Section {
  /** The anchor; empty for what stands above the first heading. */
  id: string
  heading: string
  level: number
  /** Plain text, to be searched. */
  text: string
}

export interface Rendered {
  guide: Guide
  body: Html
  sections: Section[]
}

/** The language, id and conditions of a snippet: `sh id=refund after=first-payment`. */
export function readInfo(info: string) {
  const [syntax = '', ...rest] = info.split(/\s+/)
  const given = Object.fromEntries(rest.map((one) => one.split('=', 2)))
  return { syntax, id: given.id, after: given.after, answers: given.answers }
}

const syntaxNames: Record<string, string> = {
  sh: 'Shell',
  ts: 'TypeScript',
  php: 'PHP',
  python: 'Python',
  json: 'JSON',
  csv: 'CSV',
}

const extensions: Record<string, string> = { python: 'py' }

/**
 * The page of a guide. The Markdown is the project's own: nobody else writes it, so that its markup
 * is trusted. The library is loaded here, with the first guide that somebody reads.
 */
export async function render(guide: Guide): Promise<Rendered> {
  const { Marked } = await import('marked')
  const { language, text } = guide
  const setText = typographyOf(language)
  const marked = new Marked({
    walkTokens: (token) => {
      if (token.type === 'text' && token.tokens === undefined) token.text = setText(token.text)
    },
    renderer: {
      heading({ tokens, depth, text: source }) {
        const inner = raw(this.parser.parseInline(tokens))
        if (depth === 1) return html`<h1>${inner}</h1>\n`.text
        return html`<h${depth} id="${anchorOf(source)}">${inner}</h${depth}>\n`.text
      },
      code: ({ text: code, lang = '' }) => writeSnippet(code, lang, language).text,
      link({ href, tokens }) {
        const inner = raw(this.parser.parseInline(tokens))
        return html`<a href="${addressOf(href, language)}">${inner}</a>`.text
      },
      table(token) {
        const inline = (cell: Tokens.TableCell) => raw(this.parser.parseInline(cell.tokens))
        return writeTable(token, inline).text
      },
    },
  })
  const tokens = marked.lexer(text)
  const sections = sectionsOf(tokens, guide)
  // The first token is the title, which the page sets itself.
  const body = raw(await marked.parse(text.replace(/^# .+\n/, '')))
  return { guide, body, sections }
}

/** The anchor of a heading: its words without accents. */
export function anchorOf(heading: string): string {
  return fold(plain(heading))
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Links between guides are relative in the files: `refunds.md#parts`. */
function addressOf(href: string, language: Language): string {
  return href.replace(/^([a-z-]+)\.md(?=#|$)/, `/docs/${language}/$1`)
}

/** Where an example stands: `setup` on the same page, `first-payment/setup` on another. */
function placeOf(example: string, language: Language): string {
  const guide = example.includes('/') ? `/docs/${language}/${example.split('/')[0]}` : ''
  return `${guide}#snippet-${nameOf(example)}`
}

function nameOf(example: string): string {
  return example.split('/').at(-1) ?? example
}

function writeSnippet(code: string, info: string, language: Language): Html {
  const { syntax, id, after, answers } = readInfo(info)
  const say = words[language]
  const name = syntaxNames[syntax] ?? syntax
  // Commands and links of later examples call it by the name of its file.
  const file = id && `${id}.${extensions[syntax] ?? syntax}`
  const label = answers === undefined ? (file ?? name) : say.answer
  const described = `${answers === undefined ? name : say.answer} (${id ?? answers ?? name})`
  // The same program may stand in several languages.
  const anchor = id !== undefined && (syntax === 'sh' ? id : `${id}-${syntax}`)
  return html`<figure class="snippet"${anchor && html` id="snippet-${anchor}"`}><figcaption>
<b>${label}</b>${
    after !== undefined &&
    html` <a href="${placeOf(after, language)}">${say.after(nameOf(after))}</a>`
  }<button type="button" hidden data-copied="${say.copied}">${say.copy}</button></figcaption>
<pre tabindex="0" role="group" aria-label="${described}"><code>${code}</code></pre>
</figure>
`
}

function writeTable(
  { header, rows }: Tokens.Table,
  inline: (cell: Tokens.TableCell) => Html,
): Html {
  const names = header.map(({ text }) => plain(text))
  return html`<div class="rows"><table><thead><tr>${header.map((cell) =>
    cell.text === '' ? html`<td></td>` : html`<th scope="col">${inline(cell)}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map(
        (cell, index) => html`<td data-name="${names[index]}">${inline(cell)}</td>`,
      )}</tr>`,
  )}</tbody></table></div>
`
}

function sectionsOf(tokens: Token[], { title, language }: Guide): Section[] {
  const setText = typographyOf(language)
  const sections: Section[] = [{ id: '', heading: title, level: 1, text: '' }]
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth > 1) {
      const heading = setText(plain(String(token.text)))
      sections.push({ id: anchorOf(heading), heading, level: Number(token.depth), text: '' })
    } else if (token.type !== 'heading') {
      const section = sections.at(-1)
      if (section !== undefined) section.text += `${textOf(token, setText)} `
    }
  }
  return sections
}

/** What a reader sees of a block, without the marks of tables and lists. */
function textOf(token: Token, setText: (text: string) => string): string {
  if (token.type === 'code') return String(token.text)
  return setText(plain(token.raw.replaceAll(/^[|\s:-]+$/gm, '').replaceAll(/\||^- /gm, ' ')))
}
