import type { Language } from '#base/kit/language.ts'
import { englishTexts } from './english.ts'
import type { PageTexts } from './french.ts'
import { frenchTexts } from './french.ts'

/** The texts of the payment page in a language. */
export function textsOf(language: Language): PageTexts {
  return language === 'fr' ? frenchTexts : englishTexts
}
