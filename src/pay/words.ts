import type { Language } from '../kit/language.ts'
import { englishWords } from './english.ts'
import type { Words } from './french.ts'
import { frenchWords } from './french.ts'

/** All that the page says, in one language. */
export function wordsOf(language: Language): Words {
  return language === 'fr' ? frenchWords : englishWords
}
