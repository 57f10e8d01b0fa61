import type { Language } from '#base/kit/language.ts'
import { englishTexts } from './english.ts'
import { frenchTexts, type PageTexts } from './french.ts'

const texts: Record<Language, PageTexts> = { fr: frenchTexts, en: englishTexts }

/** The texts of the payment page in a language. */
export function textsOf(language: Language): PageTexts {
  return texts[language]
}
