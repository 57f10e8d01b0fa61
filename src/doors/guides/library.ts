import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { cached } from '#base/kit/cached.ts'
import type { Language } from '#base/kit/language.ts'
import { type PreparedFile, prepareFile } from '#edge/http/prepared-file.ts'
import { minifyScript, minifyStyle } from '#edge/pages/minify.ts'
import { guideNames } from './contents.ts'
import { writeCatalogue, writeWhole } from './llms.ts'
import {
  type Frame,
  frontPage,
  guidePage,
  homePage,
  referencePage,
  searchPage,
  unknownPage,
} from './page.ts'
import { readGuide } from './read-guide.ts'
import { type Description, referenceGuide } from './reference.ts'
import { type Rendered, render } from './render.ts'
import { search } from './search.ts'

const page = 'text/html; charset=utf-8'
const text = 'text/plain; charset=utf-8'

interface Shelf {
  frame: Frame
  rendered: Map<string, Rendered>
}

/**
 * Every page and file, made when it is first asked for and then kept: a start neither reads guides
 * nor loads what renders them. What is kept is bounded by the list of guides.
 */
export function openLibrary(url: string, described: () => Description) {
  const files = cached(Number.POSITIVE_INFINITY, loadFile)
  const shelves = cached(Number.POSITIVE_INFINITY, async (language: Language): Promise<Shelf> => {
    const guides = await Promise.all(guideNames.map((name) => readGuide(language, name, url)))
    const rendered = await Promise.all(guides.map(render))
    const [style, script] = await Promise.all([files('guides.css'), files('guides.js')])
    return {
      frame: {
        language,
        guides: new Map(guides.map((guide) => [guide.name, guide])),
        styleHref: style.href,
        scriptHref: script.href,
      },
      rendered: new Map(rendered.map((one) => [one.guide.name, one])),
    }
  })
  const pages = cached(Number.POSITIVE_INFINITY, async (key: `${Language}/${string}`) => {
    const [language, name] = key.split('/') as [Language, string]
    const { frame, rendered } = await shelves(language)
    const known = rendered.get(name)
    if (name === '') return prepared(page, homePage(frame).text)
    return known && prepared(page, guidePage(frame, known).text)
  })
  const texts = cached(Number.POSITIVE_INFINITY, async (name: 'llms' | 'llms-full') => {
    const [french, english] = await Promise.all([shelves('fr'), shelves('en')])
    const lists = { fr: guidesOf(french), en: guidesOf(english) }
    return prepared(text, name === 'llms' ? writeCatalogue(lists, url) : writeWhole(lists.en))
  })
  const reference = cached(Number.POSITIVE_INFINITY, async (_key: 'once') => {
    const { frame } = await shelves('en')
    return prepared(page, referencePage(frame, await render(referenceGuide(described()))).text)
  })
  return {
    /** Every address and field of the interface. */
    reference: () => reference('once'),
    /** The page of a guide, or of all guides for the name ''; undefined: there is none. */
    page: (language: Language, name: string): Promise<PreparedFile | undefined> =>
      name === '' || guideNames.includes(name)
        ? pages(`${language}/${name}`)
        : Promise.resolve(undefined),
    /** A guide as Markdown. */
    markdown: async (language: Language, name: string): Promise<string | undefined> =>
      (await shelves(language)).frame.guides.get(name)?.text,
    found: async (language: Language, query: string) => {
      const { frame, rendered } = await shelves(language)
      return searchPage(frame, query, search([...rendered.values()], query))
    },
    front: async (language: Language, isUnknownLink: boolean) =>
      frontPage((await shelves(language)).frame, isUnknownLink),
    unknown: async (language: Language) => unknownPage((await shelves(language)).frame),
    file: async (name: FileName): Promise<PreparedFile> => (await files(name)).file,
    list: texts,
  }
}

function guidesOf({ frame }: Shelf) {
  return [...frame.guides.values()]
}

function prepared(type: string, content: string): Promise<PreparedFile> {
  return prepareFile(type, Buffer.from(content), 9)
}

export type FileName = 'guides.css' | 'guides.js'

/** A file beside a page, at an address that changes with its content. */
async function loadFile(name: FileName): Promise<{ href: string; file: PreparedFile }> {
  const isStyle = name === 'guides.css'
  const shared = isStyle
    ? ['theme', 'tables', 'header'].map((one) => `../../edge/pages/${one}.css`)
    : []
  const text = (await Promise.all([...shared, name].map(read))).join('')
  const content = isStyle ? minifyStyle(text) : minifyScript(text)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12)
  const type = `text/${isStyle ? 'css' : 'javascript'}; charset=utf-8`
  return { href: `/docs/assets/${hash}/${name}`, file: await prepared(type, content) }
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8')
}
