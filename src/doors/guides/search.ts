import { type Html, html } from '#base/kit/html.ts'
import { fold } from './read-guide.ts'
import type { Rendered, Section } from './render.ts'

/** Bounds of what a search may cost. */
export const queryMax = 100
const wordsMax = 8
const resultsMax = 20
const excerptBefore = 60
const excerptLength = 220

export interface Found {
  guide: string
  title: string
  section: Section
  excerpt: Html
}

/** The sections that contain every word, those with words in their headings first. */
export function search(guides: Rendered[], query: string): Found[] {
  const wanted = wordsOf(query)
  if (wanted.length === 0) return []
  return guides
    .flatMap(({ guide, sections }) =>
      sections.map((section) => {
        const score = scoreOf(section, guide.title, wanted)
        return { guide: guide.name, title: guide.title, section, score }
      }),
    )
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, resultsMax)
    .map(({ guide, title, section }) => ({
      guide,
      title,
      section,
      excerpt: excerptOf(section.text, foldedOf(section, title).text, wanted),
    }))
}

function wordsOf(query: string): string[] {
  const folded = fold(query.slice(0, queryMax))
  const all = folded.split(/[^\p{L}\p{N}_]+/u).filter((word) => word.length > 1)
  return [...new Set(all)].slice(0, wordsMax)
}

const foldedSections = new WeakMap<Section, { heading: string; title: string; text: string }>()

/** What is searched of a section. Made once: for all guides it takes some 40 ms. */
function foldedOf(section: Section, title: string) {
  const known = foldedSections.get(section)
  if (known !== undefined) return known
  const { heading, text } = section
  const made = { heading: fold(heading), title: fold(title), text: fold(text) }
  foldedSections.set(section, made)
  return made
}

function scoreOf(section: Section, guideTitle: string, wanted: string[]): number {
  const { heading, title, text: content } = foldedOf(section, guideTitle)
  const places: [string, number][] = [
    [heading, 10],
    [title, 4],
    [content, 1],
  ]
  let sum = 0
  for (const word of wanted) {
    const points = places
      .filter(([text]) => text.includes(word))
      .reduce((total, [, worth]) => total + worth, 0)
    // A word of the title alone finds the beginning of a guide, not each of its sections.
    const isThere = points > 4 || points === 1 || (points === 4 && section.id === '')
    if (!isThere) return 0
    sum += points
  }
  return sum
}

/** A part of the text around the first word, with all words marked. */
function excerptOf(text: string, folded: string, wanted: string[]): Html {
  const found = wanted.map((word) => folded.indexOf(word)).filter((at) => at >= 0)
  const first = found.length === 0 ? 0 : Math.min(...found)
  const start = first <= excerptBefore ? 0 : text.lastIndexOf(' ', first - excerptBefore) + 1
  const end = start + excerptLength
  const part = text.slice(start, end)
  const isCut = end < text.length
  return html`${start > 0 && '… '}${marked(part, folded.slice(start, end), wanted)}${isCut && ' …'}`
}

function marked(part: string, folded: string, wanted: string[]): Html[] {
  // Words are letters, digits and underscores: nothing in them is special in a pattern.
  const pattern = new RegExp(wanted.join('|'), 'g')
  const pieces: Html[] = []
  let done = 0
  for (const { index, 0: word } of folded.matchAll(pattern)) {
    pieces.push(
      html`${part.slice(done, index)}<mark>${part.slice(index, index + word.length)}</mark>`,
    )
    done = index + word.length
  }
  return [...pieces, html`${part.slice(done)}`]
}
