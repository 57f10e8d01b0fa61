import { readFile } from 'node:fs/promises'
import type { Language } from '#base/kit/language.ts'
import { setCommon, setFrench } from '#base/kit/texts.ts'
import { fillInExamples } from './examples.ts'
import { fillIn } from './generated.ts'

/** A guide as it is written. */
export interface Guide {
  name: string
  language: Language
  title: string
  /** The first paragraph, without markup. */
  summary: string
  /** Markdown, with examples and the program's tables filled in. */
  text: string
}

/** The address in every guide, replaced by that of the gateway where readers can use it. */
export const writtenUrl = 'http://127.0.0.1:8080'

const folder = new URL('../../../guides/', import.meta.url)

/** Reads a guide; `name` is one of the list of contents, never what somebody asked for. */
export async function readGuide(language: Language, name: string, url: string): Promise<Guide> {
  const source = await readFile(new URL(`${language}/${name}.md`, folder), 'utf8')
  const whole = await fillInExamples(fillIn(source, language), folder)
  const text = whole.replaceAll(writtenUrl, url)
  const [, title = name, summary = ''] = /^# (.+)\n+((?:.+\n)+)/.exec(text) ?? []
  const setText = typographyOf(language)
  return { name, language, title: setText(title), summary: setText(plain(summary)), text }
}

/** Sets apostrophes and spaces as the language has them. */
export function typographyOf(language: Language): (text: string) => string {
  return language === 'fr' ? setFrench : setCommon
}

/** Inline Markdown as plain text on one line. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Lower case without accents, character by character: positions are those of the text. */
export function fold(text: string): string {
  return Array.from(text, (character) => {
    const [bare = character] = character.normalize('NFD').toLowerCase()
    return bare.length === character.length ? bare : character
  })
    .join('')
    .replaceAll('’', "'")
}
